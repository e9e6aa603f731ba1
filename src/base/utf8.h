#pragma once
// UTF-8 (RFC 3629): decoding, encoding, and where a text stops being valid.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tandem {

struct DecodedCodePoint {
  char32_t code_point;
  std::size_t bytes;  // 1 to 4
};

// The code point that starts at `text[offset]`; nothing when those bytes are not UTF-8 (overlong
// forms, surrogates and values over U+10FFFF are not).
std::optional<DecodedCodePoint> decode_utf8(std::string_view text, std::size_t offset);

// Appends the UTF-8 form of a scalar value.
void append_utf8(char32_t code_point, std::string& out);

// The offset of the first byte that is not part of valid UTF-8.
std::optional<std::size_t> first_invalid_utf8(std::string_view text);

}  // namespace tandem
