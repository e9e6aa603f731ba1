#pragma once
// A table of texts as it stood in a file: what every reader gives, whatever the format.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

// What the file says a cell is. TSV and CSV say nothing: all their cells are kText.
enum class CellKind : std::uint8_t { kText, kNumber, kBoolean, kNull, kList, kObject };

// Something that is wrong with a row, as the message would be that it is refused with.
struct TableFault {
  std::int64_t line;
  std::string message;  // begins with "file:line: "
};

// Column names and rows of cells. All cells lie end to end in one string: millions of short cells
// cost little more than their bytes.
class Table {
 public:
  // `names` as in the header. They are trimmed, and a column without one (pandas writes its row
  // numbers under none) is called "unnamed 1" by its place. Throws DataError when two are equal.
  Table(std::string source, std::vector<std::string> names, std::int64_t header_line);

  const std::string& source() const { return source_; }  // the file, for messages
  const std::vector<std::string>& columns() const { return columns_; }
  std::int64_t rows() const { return static_cast<std::int64_t>(lines_.size()); }
  // The column of that name.
  std::optional<std::size_t> find(std::string_view name) const;

  std::string_view cell(std::int64_t row, std::size_t column) const;
  CellKind kind(std::int64_t row, std::size_t column) const { return kinds_[at(row, column)]; }
  // Where the row starts in the file, from 1.
  std::int64_t line(std::int64_t row) const { return lines_[static_cast<std::size_t>(row)]; }
  // "file:line", the start of every message about a row.
  std::string where(std::int64_t row) const;

  // Rows that a reader left out because they were broken (only where a task says so: QQP).
  std::int64_t skipped_rows = 0;
  // What a reader that was told to collect found wrong; those rows are left out.
  std::vector<TableFault> faults;

  // For the readers. A row is its cells and then end_row().
  void add_cell(std::string_view cell, CellKind kind = CellKind::kText);
  void end_row(std::int64_t line);
  // Forgets the cells since the last end_row().
  void drop_unfinished_row();

 private:
  std::size_t at(std::int64_t row, std::size_t column) const {
    return static_cast<std::size_t>(row) * columns_.size() + column;
  }

  std::string source_;
  std::vector<std::string> columns_;
  std::string text_;                 // all cells
  std::vector<std::uint64_t> ends_;  // [rows * columns]: where each ends in text_
  std::vector<CellKind> kinds_;      // [rows * columns]
  std::vector<std::int64_t> lines_;  // [rows]
};

// `text` without white space (space, tab, CR, LF) at both ends.
std::string_view trimmed(std::string_view text);
// `text` with ASCII letters in lower case.
std::string lower_case(std::string_view text);

}  // namespace tandem
