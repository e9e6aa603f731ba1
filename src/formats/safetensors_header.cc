// The rules of a safetensors header. The parser's events are checked as they come and only what is
// kept is stored, so that a hostile header can't take much more memory than its own length.

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/printable.h"
#include "base/utf8.h"
#include "formats/json.h"
#include "formats/safetensors.h"

namespace tandem {
namespace {

using nlohmann::json;

// Bits per element, for each dtype of tensor.rs. Those of less than 8 bits must fill whole bytes.
constexpr std::array<std::pair<std::string_view, std::int64_t>, 22> kDtypeBits{{
    {"BOOL", 8},        {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"U8", 8},
    {"I8", 8},          {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8},
    {"F8_E5M2FNUZ", 8}, {"I16", 16},    {"U16", 16},    {"F16", 16},    {"BF16", 16},
    {"I32", 32},        {"U32", 32},    {"F32", 32},    {"F64", 64},    {"C64", 64},
    {"I64", 64},        {"U64", 64},
}};

// One tensor's entry while it is read. A member is absent until it was seen.
struct Entry {
  std::string name;
  std::optional<std::string> dtype;
  std::optional<std::vector<std::int64_t>> shape, data_offsets;
};

std::int64_t dtype_bits(const std::string& where, const std::string& dtype) {
  for (const auto& [name, bits] : kDtypeBits) {
    if (name == dtype) return bits;
  }
  throw ModelError("{}: dtype \"{}\" is not one of the format's", where, printable(dtype));
}

// The checks that need one entry only. `data_start` is where the tensors begin in the file.
TensorInfo checked_tensor(Entry entry, std::int64_t data_start, std::string_view source) {
  const std::string where = fmt::format("{}: tensor {}", source, printable(entry.name));
  if (!entry.dtype || !entry.shape || !entry.data_offsets) {
    throw ModelError("{}: {} is missing", where,
                     !entry.dtype   ? "dtype"
                     : !entry.shape ? "shape"
                                    : "data_offsets");
  }
  if (entry.data_offsets->size() != 2) {
    throw ModelError("{}: data_offsets: expected 2 numbers, found {}", where,
                     entry.data_offsets->size());
  }
  TensorInfo tensor;
  std::int64_t bits = dtype_bits(where, *entry.dtype);
  for (const std::int64_t dimension : *entry.shape) {
    if (__builtin_mul_overflow(tensor.elements, dimension, &tensor.elements)) {
      throw ModelError("{}: shape {}: the number of elements overflows 64 bits", where,
                       shape_text(*entry.shape));
    }
  }
  if (__builtin_mul_overflow(bits, tensor.elements, &bits)) {
    throw ModelError("{}: shape {} of {}: the size overflows 64 bits", where,
                     shape_text(*entry.shape), *entry.dtype);
  }
  const std::int64_t begin = entry.data_offsets->front(), end = entry.data_offsets->back();
  if (begin > end) throw ModelError("{}: data_offsets end at {}, before {}", where, end, begin);
  if (bits % 8 != 0 || bits / 8 != end - begin) {
    throw ModelError("{}: shape {} of {} takes {} bits, data_offsets [{}, {}] hold {} bytes", where,
                     shape_text(*entry.shape), *entry.dtype, bits, begin, end, end - begin);
  }
  if (__builtin_add_overflow(begin, data_start, &tensor.offset)) {
    throw ModelError("{}: data_offsets begin at {}, past the end of the file", where, begin);
  }
  tensor.bytes = end - begin;
  tensor.name = std::move(entry.name);
  tensor.dtype = std::move(*entry.dtype);
  tensor.shape = std::move(*entry.shape);
  return tensor;
}

// Takes nlohmann's parser events. Depth 1 is between entries, 2 inside one, 3 in a list of numbers.
class HeaderReader {
 public:
  HeaderReader(std::string_view source, std::int64_t data_start)
      : source_(source), data_start_(data_start) {}

  bool null() { unexpected("null"); }
  bool boolean(bool) { unexpected("true or false"); }
  bool number_integer(json::number_integer_t value) { unexpected(fmt::format("{}", value)); }
  bool number_float(json::number_float_t, const std::string& text) { unexpected(printable(text)); }
  bool binary(json::binary_t&) { unexpected("binary data"); }

  bool number_unsigned(json::number_unsigned_t value) {
    if (list_ == nullptr || value > static_cast<std::uint64_t>(INT64_MAX)) {
      unexpected(fmt::format("the number {}", value));
    }
    list_->push_back(static_cast<std::int64_t>(value));
    return true;
  }

  bool string(std::string& value) {
    if (in_metadata_) {
      metadata_.emplace_back(key_, std::move(value));
    } else if (depth_ == 2 && key_ == "dtype") {
      if (entry_.dtype) twice();
      entry_.dtype = std::move(value);
    } else {
      unexpected(fmt::format("the string \"{}\"", printable(value)));
    }
    return true;
  }

  bool start_object(std::size_t) {
    if (depth_ == 1) {
      if (key_ == "__metadata__") {
        if (std::exchange(seen_metadata_, true)) twice();
        in_metadata_ = true;
      } else {
        entry_ = {.name = key_, .dtype = {}, .shape = {}, .data_offsets = {}};
      }
    } else if (depth_ != 0) {
      unexpected("an object");
    }
    ++depth_;
    return true;
  }

  bool end_object() {
    --depth_;
    if (depth_ == 1 && !in_metadata_) {
      tensors_.push_back(checked_tensor(std::move(entry_), data_start_, source_));
    }
    in_metadata_ = false;
    return true;
  }

  bool key(std::string& name) {
    key_ = std::move(name);
    return true;
  }

  bool start_array(std::size_t) {
    const bool entry = depth_ == 2 && !in_metadata_;
    if (!entry || (key_ != "shape" && key_ != "data_offsets")) unexpected("a list");
    auto& member = key_ == "shape" ? entry_.shape : entry_.data_offsets;
    if (member) twice();
    list_ = &member.emplace();
    ++depth_;
    return true;
  }

  bool end_array() {
    list_ = nullptr;
    --depth_;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const json::exception&) {
    throw ModelError("{}: the header is not valid JSON at its byte {}", source_, position);
  }

  std::vector<TensorInfo> take_tensors() { return std::move(tensors_); }
  std::vector<std::pair<std::string, std::string>> take_metadata() { return std::move(metadata_); }

 private:
  std::string where() const {
    if (depth_ == 0) return std::string(source_);
    if (in_metadata_) return fmt::format("{}: __metadata__: {}", source_, printable(key_));
    if (depth_ == 1) return fmt::format("{}: tensor {}", source_, printable(key_));
    return fmt::format("{}: tensor {}: {}", source_, printable(entry_.name), printable(key_));
  }
  [[noreturn]] void unexpected(std::string_view what) const {
    const bool list = list_ != nullptr || key_ == "shape" || key_ == "data_offsets";
    const std::string_view expected = depth_ == 0       ? "the header to be an object"
                                      : in_metadata_    ? "a string"
                                      : depth_ == 1     ? "an object"
                                      : list            ? "a list of whole numbers below 2^63"
                                      : key_ == "dtype" ? "a string"
                                                        : "only dtype, shape and data_offsets";
    throw ModelError("{}: expected {}, found {}", where(), expected, what);
  }
  [[noreturn]] void twice() const { throw ModelError("{}: occurs twice", where()); }

  std::string_view source_;
  std::int64_t data_start_;
  int depth_ = 0;
  bool in_metadata_ = false, seen_metadata_ = false;
  std::string key_;
  std::vector<std::int64_t>* list_ = nullptr;
  Entry entry_;  // the one that is being read
  std::vector<TensorInfo> tensors_;
  std::vector<std::pair<std::string, std::string>> metadata_;
};

bool by_name(const TensorInfo& a, const TensorInfo& b) { return a.name < b.name; }

void check_names(std::vector<TensorInfo>& tensors, std::string_view source) {
  std::sort(tensors.begin(), tensors.end(), by_name);
  const auto same =
      std::adjacent_find(tensors.begin(), tensors.end(),
                         [](const TensorInfo& a, const TensorInfo& b) { return a.name == b.name; });
  if (same != tensors.end()) {
    throw ModelError("{}: tensor {}: occurs twice", source, printable(same->name));
  }
}

// The tensors must fill [data_start, file_bytes) exactly.
void check_layout(std::vector<TensorInfo>& tensors, std::int64_t data_start,
                  std::int64_t file_bytes, std::string_view source) {
  std::sort(tensors.begin(), tensors.end(), [](const TensorInfo& a, const TensorInfo& b) {
    return std::pair(a.offset, a.bytes) < std::pair(b.offset, b.bytes);
  });
  std::int64_t end = data_start;
  for (const TensorInfo& tensor : tensors) {
    if (tensor.offset != end) {
      throw ModelError("{}: tensor {}: begins at byte {} of the data, {} byte {}", source,
                       printable(tensor.name), tensor.offset - data_start,
                       tensor.offset < end ? "overlaps the tensor before it, which ends at"
                                           : "leaves a hole after the tensor before it, which "
                                             "ends at",
                       end - data_start);
    }
    if (__builtin_add_overflow(end, tensor.bytes, &end) || end > file_bytes) {
      throw ModelError(
          "{}: tensor {}: ends at byte {} of the data, the file has only {}: it is truncated or "
          "damaged; copy or download it again",
          source, printable(tensor.name), tensor.offset - data_start + tensor.bytes,
          file_bytes - data_start);
    }
  }
  if (end != file_bytes) {
    throw ModelError("{}: {} bytes follow the last tensor, which ends at byte {} of the data",
                     source, file_bytes - end, end - data_start);
  }
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view header, std::int64_t file_bytes,
                                           std::string_view source) {
  if (!header.starts_with('{')) {
    throw ModelError("{}: the header must start with {{, found \"{}\"", source,
                     printable(header.substr(0, 1)));
  }
  if (const auto invalid = first_invalid_utf8(header)) {
    throw ModelError("{}: the header is not UTF-8 at its byte {}", source, *invalid);
  }
  // The parser would take a NUL for the end of the text.
  if (const std::size_t nul = header.find('\0'); nul != header.npos) {
    throw ModelError("{}: the header has a NUL at its byte {}", source, nul);
  }
  const std::int64_t data_start = 8 + static_cast<std::int64_t>(header.size());
  HeaderReader reader(source, data_start);
  json::sax_parse(header.begin(), header.end(), &reader);

  SafetensorsHeader result{.tensors = reader.take_tensors(), .metadata = {}};
  check_names(result.tensors, source);
  check_layout(result.tensors, data_start, file_bytes, source);
  std::sort(result.tensors.begin(), result.tensors.end(), by_name);
  for (auto& [key, value] : reader.take_metadata()) {
    if (!result.metadata.emplace(key, std::move(value)).second) {
      throw ModelError("{}: __metadata__: {}: occurs twice", source, printable(key));
    }
  }
  return result;
}

std::string shape_text(std::span<const std::int64_t> shape) {
  constexpr std::size_t kShown = 8;  // a hostile header may have millions
  std::string result = "[";
  for (std::size_t i = 0; i < std::min(shape.size(), kShown); ++i) {
    result += fmt::format("{}{}", i == 0 ? "" : ", ", shape[i]);
  }
  return result + (shape.size() > kShown ? ", ...]" : "]");
}

}  // namespace tandem
