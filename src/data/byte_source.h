#pragma once
// Bytes of a table, one piece after another, from a file or a stream, unpacked where they are gzip.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <istream>
#include <memory>
#include <span>
#include <string>

namespace tandem {

inline constexpr std::int64_t kMaxTableBytes = std::int64_t{16} << 30;

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills the start of `out` and returns how many bytes that were; 0 at the end alone.
  virtual std::size_t read(std::span<char> out) = 0;
};

// Both unpack what starts as gzip does (RFC 1952: 1F 8B), whatever the name says; several members
// one behind the other are one text. Throws DataError for a missing or unreadable file, one larger
// than kMaxTableBytes (packed or unpacked), and gzip data that is damaged or cut off.
std::unique_ptr<ByteSource> open_bytes(const std::filesystem::path& path);
// `name` stands for the stream in messages. The stream must outlive the source.
std::unique_ptr<ByteSource> open_bytes(std::istream& stream, std::string name);

}  // namespace tandem
