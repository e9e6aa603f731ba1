#pragma once
// Snappy's raw format (github.com/google/snappy, format_description.txt), unpacked.

#include <cstddef>
#include <string>
#include <string_view>

namespace tandem {

// What `packed` stands for, which must be `bytes` bytes. Throws DataError, "<source>: ...", when it
// is damaged.
std::string unpack_snappy(std::string_view packed, std::size_t bytes, std::string_view source);

}  // namespace tandem
