#include "data/tsv.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "data/row_checks.h"

namespace tandem {
namespace {

void split_at_tabs(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  while (true) {
    const std::size_t tab = line.find('\t');
    fields.push_back(line.substr(0, tab));
    if (tab == std::string_view::npos) return;
    line.remove_prefix(tab + 1);
  }
}

// The lines from the current one on.
void read_rows(LineReader& lines, BrokenRows broken_rows, Table& table) {
  const std::size_t columns = table.columns().size();
  std::vector<std::string_view> fields;
  do {
    if (lines.line().empty() && columns > 1) continue;
    split_at_tabs(lines.line(), fields);
    if (fields.size() != columns) {
      if (broken_rows == BrokenRows::kFail) {
        lines.refuse(field_count_error(table, {lines.number(), fields.size(), "tab-separated"}),
                     lines.number());
      } else {
        ++table.skipped_rows;
      }
      continue;
    }
    for (const std::string_view field : fields) table.add_cell(field);
    table.end_row(lines.number());
  } while (lines.next());
  table.faults = lines.take_faults();
}

bool has_any(std::span<const std::string_view> fields, std::span<const std::string> names) {
  return std::any_of(fields.begin(), fields.end(), [&](std::string_view field) {
    return std::find(names.begin(), names.end(), trimmed(field)) != names.end();
  });
}

}  // namespace

Table read_tsv(LineReader& lines, const TsvOptions& options) {
  require_first_line(lines);
  std::vector<std::string_view> fields;
  split_at_tabs(lines.line(), fields);
  const std::vector<std::string>& names = options.names_without_header;
  if (!names.empty() && !has_any(fields, names)) {
    Table table(lines.source(), names, lines.number());
    read_rows(lines, options.broken_rows, table);
    require_rows(table);
    return table;
  }
  if (fields.size() == 1) refuse_other_separator(lines, ",;", "tabs");
  Table table(lines.source(), {fields.begin(), fields.end()}, lines.number());
  if (lines.next()) read_rows(lines, options.broken_rows, table);
  require_rows(table);
  return table;
}

Table read_text_lines(LineReader& lines) {
  require_first_line(lines);
  const bool pairs = lines.line().find('\t') != std::string_view::npos;
  std::vector<std::string> names = {"text"};
  if (pairs) names.emplace_back("pair");
  Table table(lines.source(), std::move(names), lines.number());
  read_rows(lines, BrokenRows::kFail, table);
  return table;
}

}  // namespace tandem
