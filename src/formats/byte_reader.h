#pragma once
// Bytes of a file that may be damaged, read from front to back and never past their end.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"

namespace tandem {

// Throws DataError, "<source>: ..." where the bytes end too early.
class ByteReader {
 public:
  ByteReader(std::string_view bytes, std::string_view source) : bytes_(bytes), source_(source) {}

  std::size_t left() const { return bytes_.size() - at_; }
  std::size_t position() const { return at_; }

  std::string_view take(std::uint64_t count) {
    if (count > left()) {
      fail(fmt::format("ends {} bytes early, it is cut off or damaged", count - left()));
    }
    const std::string_view taken = bytes_.substr(at_, count);
    at_ += count;
    return taken;
  }

  std::uint8_t byte() { return static_cast<std::uint8_t>(take(1).front()); }

  // A whole number of `bytes` bytes (8 at most), the lowest first.
  std::uint64_t little_endian(std::size_t bytes) {
    std::uint64_t number = 0;
    const std::string_view taken = take(bytes);
    for (std::size_t i = 0; i < bytes; ++i) {
      number |= std::uint64_t{static_cast<std::uint8_t>(taken[i])} << (8 * i);
    }
    return number;
  }

  // LEB128: 7 bits a byte, the lowest first.
  std::uint64_t variable_length() {
    std::uint64_t number = 0;
    for (unsigned int shift = 0; shift < 64; shift += 7) {
      const std::uint8_t next = byte();
      number |= std::uint64_t{next & 0x7FU} << shift;
      if (next < 0x80) return number;
    }
    fail("has a number of more than 64 bits, it is damaged");
  }

  [[noreturn]] void fail(std::string_view message) const {
    throw DataError("{}: {}", source_, message);
  }

 private:
  std::string_view bytes_, source_;
  std::size_t at_ = 0;
};

}  // namespace tandem
