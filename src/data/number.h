#pragma once
// Numbers as tables write them.

#include <cstdint>
#include <optional>
#include <string_view>

namespace tandem {

// The finite number that is the whole of `text`: decimal, with an optional sign, point and exponent
// ("-1", "+2.5", "1e-3"). Nothing for "nan", "inf", hexadecimal, "1,5" or an empty text.
std::optional<double> parse_number(std::string_view text);

// The same for whole numbers of 64 bits, without point and exponent ("7", "-1", "007").
std::optional<std::int64_t> parse_whole_number(std::string_view text);

}  // namespace tandem
