#include "text/pre_tokenizer.h"

#include <array>
#include <cstdint>

#include "base/error.h"
#include "base/utf8.h"
#include "text/unicode.h"

namespace tandem {
namespace {

enum class Kind : std::uint8_t { kLetter, kSpace, kPunctuation };

// The code points of ASCII, so that most texts need no other table. They are the same in every
// version of Unicode.
constexpr std::array<Kind, 128> kAsciiKinds = [] {
  std::array<Kind, 128> kinds{};
  for (std::size_t c = 0x21; c < 0x7F; ++c) {
    const bool is_alphanumeric =
        (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    if (!is_alphanumeric) kinds[c] = Kind::kPunctuation;
  }
  for (const char c : {'\t', '\n', '\v', '\f', '\r', ' '}) {
    kinds[static_cast<std::size_t>(c)] = Kind::kSpace;
  }
  return kinds;
}();

struct Character {
  Kind kind;
  std::size_t bytes;
};

Character character_at(std::string_view text, std::size_t offset) {
  const auto byte = static_cast<std::uint8_t>(text[offset]);
  if (byte < 0x80) return {kAsciiKinds[byte], 1};
  const auto decoded = decode_utf8(text, offset);
  TANDEM_CHECK(decoded, "the text is not UTF-8 at byte {}", offset);
  const std::uint16_t properties = unicode::properties(decoded->code_point);
  if ((properties & unicode::kWhitespace) != 0) return {Kind::kSpace, decoded->bytes};
  if ((properties & unicode::kPunctuation) != 0) return {Kind::kPunctuation, decoded->bytes};
  return {Kind::kLetter, decoded->bytes};
}

}  // namespace

std::string_view next_word(std::string_view text, std::size_t& position) {
  Character character{Kind::kSpace, 0};
  while (position < text.size()) {
    character = character_at(text, position);
    if (character.kind != Kind::kSpace) break;
    position += character.bytes;
  }
  const std::size_t start = position;
  while (position < text.size() && character.kind == Kind::kLetter) {
    position += character.bytes;
    if (position < text.size()) character = character_at(text, position);
  }
  if (position == start && position < text.size()) position += character.bytes;  // punctuation
  return text.substr(start, position - start);
}

}  // namespace tandem
