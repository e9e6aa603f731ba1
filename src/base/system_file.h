#pragma once
// The small text files by which Linux tells about machine and process (/proc, /sys). Nothing
// throws: a file that is missing or says something else has no value.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tandem {

std::optional<std::string> first_line(const std::filesystem::path& path);

// The whole number that the file begins with.
std::optional<std::int64_t> number_in(const std::filesystem::path& path);

// The number in the line "key 1234" of a file; the key may end with a colon.
std::optional<std::int64_t> number_of_key(const std::filesystem::path& path, std::string_view key);

}  // namespace tandem
