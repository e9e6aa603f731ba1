#include "formats/snappy.h"

#include "formats/byte_reader.h"

namespace tandem {
namespace {

constexpr const char* kDamaged = "is damaged: its Snappy compression makes no sense";

// Appends `length` bytes that stand `distance` before the end. They may overlap: a distance of 1
// repeats a byte.
void copy(std::size_t distance, std::size_t length, const ByteReader& reader, std::string& out) {
  if (distance == 0 || distance > out.size()) reader.fail(kDamaged);
  std::size_t from = out.size() - distance;
  for (std::size_t i = 0; i < length; ++i) out += out[from++];
}

}  // namespace

std::string unpack_snappy(std::string_view packed, std::size_t bytes, std::string_view source) {
  ByteReader reader(packed, source);
  if (reader.variable_length() != bytes) reader.fail(kDamaged);
  std::string out;
  out.reserve(bytes);
  while (reader.left() > 0) {
    const std::uint8_t tag = reader.byte();
    std::size_t length = (tag >> 2U) + 1U;
    std::size_t distance = 0;
    switch (tag & 3U) {
      case 0:  // literally
        if (length > 60) length = reader.little_endian(length - 60) + 1;
        break;
      case 1:
        length = ((tag >> 2U) & 7U) + 4U;
        distance = (static_cast<std::size_t>(tag >> 5U) << 8U) | reader.byte();
        break;
      case 2:
        distance = reader.little_endian(2);
        break;
      default:
        distance = reader.little_endian(4);
        break;
    }
    if (length > bytes - out.size()) reader.fail(kDamaged);
    if ((tag & 3U) == 0) {
      out += reader.take(length);
    } else {
      copy(distance, length, reader, out);
    }
  }
  if (out.size() != bytes) reader.fail(kDamaged);
  return out;
}

}  // namespace tandem
