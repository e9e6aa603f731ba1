#pragma once
// The first step: BERT's normal form of a text (BertNormalizer of `tokenizers`).

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

struct NormalizerOptions {
  bool clean_text = true;            // drop control characters, make all white space " "
  bool handle_chinese_chars = true;  // put spaces around each
  bool strip_accents = true;         // decompose (NFD), then drop the marks
  bool lowercase = true;
};

// A range of bytes in the text that was given.
struct ByteRange {
  std::size_t begin, end;
};

class Normalizer {
 public:
  explicit Normalizer(const NormalizerOptions& options);

  // Appends the normal form of `text`, which must be valid UTF-8.
  void append(std::string_view text, std::string& out) const;
  // Also appends, for each byte, where it came from; `text` stands at byte `offset` of the whole.
  void append(std::string_view text, std::size_t offset, std::string& out,
              std::vector<ByteRange>& origins) const;

  const NormalizerOptions& options() const { return options_; }

 private:
  template <class Writer>
  void run(std::string_view text, Writer writer) const;

  NormalizerOptions options_;
  std::array<std::int16_t, 128> ascii_;  // what each becomes; -1 when it is dropped
};

}  // namespace tandem
