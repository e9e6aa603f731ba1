#include "report/tf_record.h"

#include <array>

namespace tandem {
namespace {

constexpr std::uint32_t kReversedPolynomial = 0x82F63B78U;

// The remainders of all bytes.
constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit) {
      remainder = (remainder >> 1U) ^ ((remainder & 1U) != 0 ? kReversedPolynomial : 0U);
    }
    table[byte] = remainder;
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> kTable = make_table();

std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>((value >> (8 * i)) & 0xFFU);
  return text;
}

std::uint32_t masked(std::uint32_t checksum) {
  constexpr std::uint32_t kMaskDelta = 0xA282EAD8U;
  return ((checksum >> 15U) | (checksum << 17U)) + kMaskDelta;
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t remainder = ~0U;
  for (const char c : bytes) {
    remainder = (remainder >> 8U) ^ kTable[(remainder ^ static_cast<unsigned char>(c)) & 0xFFU];
  }
  return ~remainder;
}

std::string tf_record(std::string_view bytes) {
  const std::string length = little_endian(bytes.size(), 8);
  std::string record = length + little_endian(masked(crc32c(length)), 4);
  record += bytes;
  return record + little_endian(masked(crc32c(bytes)), 4);
}

}  // namespace tandem
