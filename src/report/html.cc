#include "report/html.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace tandem {
namespace {

// Bars are as wide as the page, by percents, so that text keeps its size on any screen; charts grow
// with their place in the grid, which has as many columns as there is room for.
constexpr std::string_view kStyle = R"css(
:root { color-scheme: light dark; --page: #fbfbfa; --text: #1c1d1f; --soft: #5c6066;
  --line: #d9dadc; --first: #2f6fb3; --second: #d9822b; --third: #3a8a5c; --fourth: #b8336a;
  --input: #b8860b; --compute: #2f6fb3; --waiting: #d9822b; --communication: #b8336a;
  --optimizer: #3a8a5c; --other: #a3a7ad; }
@media (prefers-color-scheme: dark) {
  :root { --page: #17181a; --text: #e8e8e6; --soft: #a5a9b0; --line: #3a3d42; --first: #6aa5e3;
    --second: #f0a458; --third: #6cc091; --fourth: #e6739f; --input: #d9b344; --compute: #6aa5e3;
    --waiting: #f0a458; --communication: #e6739f; --optimizer: #6cc091; --other: #6d7178; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 76rem; background: var(--page);
  color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; } h2 { font-size: 1.25rem; margin: 2.5rem 0 .5rem;
  overflow-wrap: anywhere; } h3 { font-size: 1rem; margin: 1.5rem 0 .25rem; } p { max-width: 46rem; }
code { overflow-wrap: anywhere; } .soft { color: var(--soft); font-size: .875rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .6rem; text-align: right; border-bottom: 1px solid var(--line);
  white-space: nowrap; } th { font-weight: 600; white-space: normal; vertical-align: bottom; }
th.name, th.text, td.name { text-align: start; } td.text { text-align: start; white-space: normal;
  min-width: 16rem; max-width: 40rem; overflow-wrap: anywhere; }
td.argument { text-align: start; white-space: normal; overflow-wrap: anywhere; }
tr.best td { font-weight: 600; } td.right { outline: 1px solid var(--third); outline-offset: -2px; }
summary { cursor: pointer; color: var(--soft); }
.figures { display: flex; flex-wrap: wrap; gap: .75rem 2rem; margin: 1rem 0; }
.figures div { line-height: 1.25; } .figures b { display: block; font-size: 1.5rem; }
.charts { display: grid; gap: 1.5rem 2rem; margin-top: 1rem;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 21rem), 1fr)); }
figure { margin: 0; min-width: 0; } figcaption { font-weight: 600; }
svg { display: block; } svg.bar { width: 100%; height: 22px; margin-bottom: .5rem; }
svg.share { width: 7rem; height: .6rem; display: inline-block; margin-left: .5rem; }
svg.chart { width: 100%; max-width: 34rem; } svg text { fill: var(--soft); font-size: 12px; }
.scale { display: flex; justify-content: space-between; }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: 0; margin: .25rem 0;
  list-style: none; } .legend svg { display: inline-block; vertical-align: -1px;
  margin-right: .4rem; }
.axis { stroke: var(--soft); fill: none; } .grid { stroke: var(--line); fill: none; }
.ideal { stroke: var(--soft); stroke-dasharray: 5 4; fill: none; }
path.first, path.second, path.third, path.fourth { fill: none; stroke-width: 2;
  stroke-linejoin: round; }
path.first { stroke: var(--first); } path.second { stroke: var(--second); }
path.faint { stroke-opacity: .35; stroke-width: 1; }
path.third { stroke: var(--third); } path.fourth { stroke: var(--fourth); }
circle.first, rect.first { fill: var(--first); } circle.second, rect.second { fill: var(--second); }
circle.third, rect.third { fill: var(--third); } circle.fourth { fill: var(--fourth); }
@media (max-width: 40rem) { svg.share { display: none; } th, td { padding: .3rem .4rem; }
  td.text { min-width: 13rem; } }
circle.many { fill-opacity: .45; } circle.best { fill: none; stroke: var(--text);
  stroke-width: 1.5; }
)css";

}  // namespace

std::string html_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default: {
        const bool control = static_cast<unsigned char>(c) < ' ' || c == '\x7f';
        escaped += control ? ' ' : c;
      }
    }
  }
  return escaped;
}

std::string html_shortened(std::string_view text, std::size_t most_bytes) {
  if (text.size() <= most_bytes) return html_escaped(text);
  std::size_t end = most_bytes;
  const auto continues = [&](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
  while (end > 0 && continues(text[end])) --end;
  return html_escaped(text.substr(0, end)) + "…";
}

std::string html_page(std::string_view title, std::string_view body) {
  const std::string name = html_escaped(title);
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n"
      "<style>{}</style></head><body>\n<h1>{}</h1>\n{}</body></html>\n",
      name, kStyle, name, body);
}

std::string HtmlTable::html() const {
  const auto cell = [&](const char* tag, std::size_t column, const std::string& value) {
    const std::string& kind = columns[column].kind;
    // What a person wrote may run from right to left.
    const char* const direction = kind == "text" ? " dir=\"auto\"" : "";
    if (kind.empty()) return fmt::format("<{0}>{1}</{0}>", tag, value);
    return fmt::format("<{0} class=\"{1}\"{2}>{3}</{0}>", tag, kind, direction, value);
  };
  std::string text = "<div class=\"wide\"><table>\n";
  const auto has_heading = [](const Column& column) { return !column.heading.empty(); };
  if (std::ranges::any_of(columns, has_heading)) {
    text += "<tr>";
    for (std::size_t c = 0; c < columns.size(); ++c) text += cell("th", c, columns[c].heading);
    text += "</tr>\n";
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    text += best == r ? "<tr class=\"best\">" : "<tr>";
    for (std::size_t c = 0; c < columns.size(); ++c) text += cell("td", c, rows[r][c]);
    text += "</tr>\n";
  }
  return text + "</table></div>\n";
}

std::string html_number(double value, int decimals) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, decimals) : "–";
}

}  // namespace tandem
