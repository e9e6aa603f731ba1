#include "base/utf8.h"

#include <cstdint>

namespace tandem {
namespace {

struct Form {
  std::size_t bytes;
  std::uint8_t lead_mask;  // the bits of the first byte that carry the value
  char32_t smallest;       // smaller values in this form are overlong
};

std::optional<Form> form_of(std::uint8_t lead) {
  if (lead < 0x80) return Form{1, 0x7F, 0};
  if (lead >= 0xC2 && lead < 0xE0) return Form{2, 0x1F, 0x80};
  if (lead >= 0xE0 && lead < 0xF0) return Form{3, 0x0F, 0x800};
  if (lead >= 0xF0 && lead < 0xF5) return Form{4, 0x07, 0x10000};
  return std::nullopt;
}

}  // namespace

std::optional<DecodedCodePoint> decode_utf8(std::string_view text, std::size_t offset) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[offset + i]); };
  const std::optional<Form> form = form_of(byte(0));
  if (!form || offset + form->bytes > text.size()) return std::nullopt;
  char32_t value = byte(0) & form->lead_mask;
  for (std::size_t i = 1; i < form->bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return std::nullopt;
    value = (value << 6) | (byte(i) & 0x3F);
  }
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < form->smallest || value > 0x10FFFF || surrogate) return std::nullopt;
  return DecodedCodePoint{value, form->bytes};
}

void append_utf8(char32_t code_point, std::string& out) {
  const auto put = [&](char32_t bits) {
    out += static_cast<char>(static_cast<std::uint8_t>(bits));
  };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | (code_point >> 6));
    put(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    put(0xE0 | (code_point >> 12));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  } else {
    put(0xF0 | (code_point >> 18));
    put(0x80 | ((code_point >> 12) & 0x3F));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  }
}

std::optional<std::size_t> first_invalid_utf8(std::string_view text) {
  std::size_t offset = 0;
  while (offset < text.size()) {
    if (static_cast<std::uint8_t>(text[offset]) < 0x80) {
      ++offset;
      continue;
    }
    const std::optional<DecodedCodePoint> decoded = decode_utf8(text, offset);
    if (!decoded) return offset;
    offset += decoded->bytes;
  }
  return std::nullopt;
}

}  // namespace tandem
