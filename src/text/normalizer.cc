// As text arrives, each code point goes through four stages: clean, space out, decompose and drop
// marks, lower. Only decomposition looks at more than one: marks in a row are held back until a
// character of combining class 0 comes, then put into canonical order.
#include "text/normalizer.h"

#include <algorithm>

#include "base/error.h"
#include "base/utf8.h"
#include "text/unicode.h"

namespace tandem {
namespace {

constexpr std::int16_t kDropped = -1;
using AsciiTable = std::array<std::int16_t, 128>;

// Writes normal form and nothing else.
class TextWriter {
 public:
  explicit TextWriter(std::string& out) : out_(out) {}

  void read_source(std::size_t /*begin*/, std::size_t /*end*/) {}
  void hold_source() {}
  void take_source() {}
  void take_held_source() {}
  void put(char32_t code_point) { append_utf8(code_point, out_); }

  // A run of ASCII that starts at byte `begin`.
  void put_ascii(std::string_view run, std::size_t /*begin*/, const AsciiTable& table) {
    const std::size_t before = out_.size();
    out_.resize(before + run.size());
    char* end = out_.data() + before;
    for (const char byte : run) {
      const std::int16_t becomes = table[static_cast<std::size_t>(byte)];
      *end = static_cast<char>(becomes);
      end += becomes == kDropped ? 0 : 1;
    }
    out_.resize(static_cast<std::size_t>(end - out_.data()));
  }

 private:
  std::string& out_;
};

// Also writes where each byte came from.
//
// `tokenizers` pairs code points with their sources by position: the first of each decomposition
// takes the next source, a further one shares the last source that was taken. Where marks change
// places, they therefore trade sources.
class OriginWriter {
 public:
  OriginWriter(std::size_t offset, std::string& out, std::vector<ByteRange>& origins)
      : offset_(offset), out_(out), origins_(origins) {}

  // A code point of the text was read.
  void read_source(std::size_t begin, std::size_t end) {
    source_ = {offset_ + begin, offset_ + end};
  }
  void hold_source() { held_.push_back(source_); }
  // What is put next comes from the code point that was read last, or from the first one held.
  void take_source() { taken_ = source_; }
  void take_held_source() {
    taken_ = held_[released_++];
    if (released_ < held_.size()) return;
    held_.clear();
    released_ = 0;
  }
  void put(char32_t code_point) {
    append_utf8(code_point, out_);
    origins_.resize(out_.size(), taken_);
  }

  void put_ascii(std::string_view run, std::size_t begin, const AsciiTable& table) {
    std::size_t at = offset_ + begin;
    for (const char byte : run) {
      const std::int16_t becomes = table[static_cast<std::size_t>(byte)];
      if (becomes != kDropped) {
        taken_ = {at, at + 1};
        put(static_cast<char32_t>(becomes));
      }
      ++at;
    }
  }

 private:
  std::size_t offset_;
  std::string& out_;
  std::vector<ByteRange>& origins_;
  ByteRange source_{0, 0}, taken_{0, 0};
  std::vector<ByteRange> held_;
  std::size_t released_ = 0;
};

// Decomposes, drops marks and lowers.
template <class Writer>
class AccentStage {
 public:
  AccentStage(const NormalizerOptions& options, Writer& writer)
      : options_(options), writer_(writer) {}

  void put(char32_t code_point, std::uint16_t properties) {
    if (!options_.strip_accents) {
      writer_.take_source();
      lower(code_point, properties);
    } else if ((properties & (unicode::kDecomposes | unicode::kReorders)) == 0) {
      flush();
      writer_.take_source();
      finish(code_point, properties);
    } else {
      decompose(code_point);
    }
  }

  // Writes the marks that wait. Sorting must be stable: marks of one class keep their order.
  void flush() {
    if (waiting_.empty()) return;
    std::ranges::stable_sort(waiting_, {}, &Mark::combining_class);
    for (const Mark& mark : waiting_) {
      if (mark.takes_source) writer_.take_held_source();
      finish(mark.code_point, unicode::properties(mark.code_point));
    }
    waiting_.clear();
  }

 private:
  struct Mark {
    char32_t code_point;
    std::uint8_t combining_class;
    bool takes_source;  // the first of its decomposition
  };

  void decompose(char32_t code_point) {
    bool first = true;
    for (const char32_t part : unicode::decompose(code_point)) {
      const std::uint16_t properties = unicode::properties(part);
      if ((properties & unicode::kReorders) != 0) {
        waiting_.push_back({part, unicode::combining_class(part), first});
        if (first) writer_.hold_source();
      } else {
        flush();
        if (first) writer_.take_source();
        finish(part, properties);
      }
      first = false;
    }
  }

  void finish(char32_t code_point, std::uint16_t properties) {
    if ((properties & unicode::kMark) == 0) lower(code_point, properties);
  }

  void lower(char32_t code_point, std::uint16_t properties) {
    if (!options_.lowercase || (properties & unicode::kLowers) == 0) {
      writer_.put(code_point);
      return;
    }
    for (const char32_t part : unicode::lower_case(code_point)) writer_.put(part);
  }

  const NormalizerOptions& options_;
  Writer& writer_;
  std::vector<Mark> waiting_;
};

bool is_ascii(char byte) { return static_cast<std::uint8_t>(byte) < 0x80; }

}  // namespace

Normalizer::Normalizer(const NormalizerOptions& options) : options_(options) {
  for (std::size_t byte = 0; byte < ascii_.size(); ++byte) {
    const auto character = static_cast<char32_t>(byte);
    const std::uint16_t properties = unicode::properties(character);
    ascii_[byte] = static_cast<std::int16_t>(byte);
    if (options.clean_text && (properties & unicode::kRemoved) != 0) {
      ascii_[byte] = kDropped;
    } else if (options.clean_text && (properties & unicode::kWhitespace) != 0) {
      ascii_[byte] = ' ';
    } else if (options.lowercase) {
      ascii_[byte] = static_cast<std::int16_t>(unicode::lower_case(character).code_points[0]);
    }
  }
}

template <class Writer>
void Normalizer::run(std::string_view text, Writer writer) const {
  AccentStage<Writer> accents(options_, writer);
  std::size_t at = 0;
  while (at < text.size()) {
    if (is_ascii(text[at])) {
      const std::size_t start = at;
      while (at < text.size() && is_ascii(text[at])) ++at;
      const std::string_view ascii = text.substr(start, at - start);
      // Control characters between marks are dropped first and don't part them.
      const auto is_kept = [&](char byte) {
        return ascii_[static_cast<std::size_t>(byte)] != kDropped;
      };
      if (std::ranges::any_of(ascii, is_kept)) accents.flush();
      writer.put_ascii(ascii, start, ascii_);
      continue;
    }
    const auto decoded = decode_utf8(text, at);
    TANDEM_CHECK(decoded, "the text is not UTF-8 at byte {}", at);
    writer.read_source(at, at + decoded->bytes);
    at += decoded->bytes;
    const std::uint16_t properties = unicode::properties(decoded->code_point);
    if (options_.clean_text && (properties & unicode::kRemoved) != 0) continue;
    if (options_.clean_text && (properties & unicode::kWhitespace) != 0) {
      accents.put(U' ', 0);
    } else if (options_.handle_chinese_chars && (properties & unicode::kChinese) != 0) {
      accents.put(U' ', 0);
      accents.put(decoded->code_point, properties);
      accents.put(U' ', 0);
    } else {
      accents.put(decoded->code_point, properties);
    }
  }
  accents.flush();
}

void Normalizer::append(std::string_view text, std::string& out) const {
  run(text, TextWriter(out));
}

void Normalizer::append(std::string_view text, std::size_t offset, std::string& out,
                        std::vector<ByteRange>& origins) const {
  run(text, OriginWriter(offset, out, origins));
}

}  // namespace tandem
