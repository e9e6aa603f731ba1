#include "data/csv.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "data/row_checks.h"

namespace tandem {
namespace {

// The fields of a row, which begins at the reader's current line and may run over several. The
// strings are reused from row to row.
class CsvRow {
 public:
  explicit CsvRow(LineReader& lines) : lines_(lines) {}

  void read() {
    start_ = lines_.number();
    count_ = 0;
    rest_ = lines_.line();
    while (true) {
      std::string& field = next_field();
      if (rest_.starts_with('"')) {
        read_quoted(field);
      } else {
        const std::size_t comma = rest_.find(',');
        field = rest_.substr(0, comma);
        rest_.remove_prefix(field.size());
      }
      if (rest_.empty()) return;
      if (rest_.front() != ',') {
        throw DataError(
            "{}:{}: field {}: found {} after the closing quote; a quote inside a "
            "quoted field is written twice (\"\")",
            lines_.source(), lines_.number(), count_, in_quotes(rest_));
      }
      rest_.remove_prefix(1);
    }
  }

  std::int64_t start() const { return start_; }
  std::span<const std::string> fields() const { return std::span(fields_).first(count_); }

 private:
  std::string& next_field() {
    if (count_ == fields_.size()) fields_.emplace_back();
    return fields_[count_++];
  }

  // rest_ begins with the opening quote; afterwards, with what follows the closing one.
  void read_quoted(std::string& field) {
    const std::int64_t opened = lines_.number();
    field.clear();
    rest_.remove_prefix(1);
    while (true) {
      const std::size_t quote = rest_.find('"');
      field += rest_.substr(0, quote);
      if (quote == std::string_view::npos) {
        field += lines_.line_end();
        continue_on_next_line(field.size(), opened);
        continue;
      }
      rest_.remove_prefix(quote + 1);
      if (!rest_.starts_with('"')) return;
      field += '"';
      rest_.remove_prefix(1);
    }
  }

  void continue_on_next_line(std::size_t field_bytes, std::int64_t opened) {
    if (field_bytes <= kMaxLineBytes && lines_.next()) {
      rest_ = lines_.line();
      return;
    }
    throw DataError(
        "{}:{}: the quote that opens field {} is not closed by line {}; a quote inside "
        "a quoted field is written twice (\"\")",
        lines_.source(), opened, count_, lines_.number());
  }

  LineReader& lines_;
  std::string_view rest_;  // of the current line
  std::vector<std::string> fields_;
  std::size_t count_ = 0;
  std::int64_t start_ = 0;
};

}  // namespace

Table read_csv(LineReader& lines) {
  require_first_line(lines);
  CsvRow row(lines);
  row.read();
  if (row.fields().size() == 1) refuse_other_separator(lines, "\t;", "commas");
  Table table(lines.source(), {row.fields().begin(), row.fields().end()}, row.start());
  while (lines.next()) {
    if (lines.line().empty()) continue;
    try {
      row.read();
    } catch (const DataError& fault) {
      lines.refuse(fault, row.start());
      continue;
    }
    if (row.fields().size() != table.columns().size()) {
      lines.refuse(field_count_error(table, {row.start(), row.fields().size(), "comma-separated"}),
                   row.start());
      continue;
    }
    for (const std::string& field : row.fields()) table.add_cell(field);
    table.end_row(row.start());
  }
  table.faults = lines.take_faults();
  require_rows(table);
  return table;
}

}  // namespace tandem
