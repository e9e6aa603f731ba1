#pragma once
// Text from files and command lines, made safe to show in a message.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace tandem {

// `text`, which may be any bytes: control characters and invalid UTF-8 as \xNN, and cut to about
// `max_bytes`, with "..." then.
std::string printable(std::string_view text, std::size_t max_bytes = 100);

// The same in double quotes, cut after about 60 bytes.
std::string in_quotes(std::string_view text);

// `names`, each in quotes, with commas between; "and 90 more" after the first `most`.
std::string list_in_quotes(std::span<const std::string> names, std::size_t most = 20);

}  // namespace tandem
