#include "data/row_checks.h"

#include "base/printable.h"

namespace tandem {

void require_first_line(LineReader& lines) {
  if (!lines.next()) {
    throw DataError(
        "{}: the file is empty; expected a table with the names of its columns in the "
        "first line",
        lines.source());
  }
  // Without a \n in the whole file the first "line" is everything.
  if (lines.line_end().empty() && lines.line().find('\r') != std::string_view::npos) {
    throw DataError("{}:1: lines end with a lone CR; convert them: tr '\\r' '\\n'", lines.source());
  }
}

void require_rows(const Table& table) {
  if (table.rows() > 0 || !table.faults.empty()) return;
  throw DataError("{}: has a header ({}) but no rows", table.source(),
                  list_in_quotes(table.columns()));
}

DataError field_count_error(const Table& table, const BrokenRow& row) {
  return DataError("{}:{}: expected {} {} fields as in the header ({}), found {}", table.source(),
                   row.line, table.columns().size(), row.separation,
                   list_in_quotes(table.columns()), row.fields);
}

void refuse_other_separator(const LineReader& lines, std::string_view separators,
                            std::string_view expected) {
  const std::size_t found = lines.line().find_first_of(separators);
  if (found == std::string_view::npos) return;
  throw DataError(
      "{}:{}: expected columns separated by {}, found the header {}; rename the file "
      "after its format (.csv has commas, .tsv tabs) or convert it",
      lines.source(), lines.number(), expected, in_quotes(lines.line()));
}

}  // namespace tandem
