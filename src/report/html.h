#pragma once
// Pages of HTML that need nothing else: no script, no other file.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

// The text as it stands in HTML, in quotes or outside of them. Control characters, which HTML has
// no place for, become spaces.
std::string html_escaped(std::string_view text);

// The same of a text that may be long: whole characters of at most `most_bytes` bytes, and "…"
// then.
std::string html_shortened(std::string_view text, std::size_t most_bytes);

// A page with that title and body. Its colours follow the system's choice of light or dark, and it
// can be read on any width from that of a phone. `title` is plain text, `body` HTML.
std::string html_page(std::string_view title, std::string_view body);

// A table that scrolls sideways where it is wider than the page. Without headings it has no row for
// them.
struct HtmlTable {
  struct Column {
    std::string heading;  // HTML, as all cells are
    // "": numbers, to the right; "name": short texts; "text": long ones, which are wrapped.
    std::string kind = {};
  };
  std::vector<Column> columns = {};
  std::vector<std::vector<std::string>> rows = {};
  std::optional<std::size_t> best = {};  // a row that stands out

  std::string html() const;
};

// A number with that many decimals; "–" when it isn't finite.
std::string html_number(double value, int decimals = 4);

}  // namespace tandem
