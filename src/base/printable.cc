#include "base/printable.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/utf8.h"

namespace tandem {

std::string printable(std::string_view text, std::size_t max_bytes) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    if (result.size() >= max_bytes) return result + "...";
    const auto decoded = decode_utf8(text, i);
    const std::size_t bytes = decoded ? decoded->bytes : 1;
    // C0, DEL and C1 could move a terminal's cursor or change its colours.
    const bool control = !decoded || decoded->code_point < 0x20 ||
                         (decoded->code_point >= 0x7F && decoded->code_point < 0xA0);
    for (const char c : text.substr(i, bytes)) {
      if (control) {
        result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
      } else {
        result += c;
      }
    }
    i += bytes;
  }
  return result;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMaxBytes = 60;
  return '"' + printable(text, kMaxBytes) + '"';
}

std::string list_in_quotes(std::span<const std::string> names, std::size_t most) {
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) {
    if (i > 0) out += ", ";
    out += in_quotes(names[i]);
  }
  if (names.size() > most) {
    fmt::format_to(std::back_inserter(out), " and {} more", names.size() - most);
  }
  return out;
}

}  // namespace tandem
