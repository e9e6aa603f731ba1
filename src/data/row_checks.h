#pragma once
// What the readers of all formats refuse, in the same words.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "data/line_reader.h"
#include "data/table.h"

namespace tandem {

// Moves to the first line; throws DataError when there is none.
void require_first_line(LineReader& lines);

// Throws DataError when the table has a header and nothing else, not even faults.
void require_rows(const Table& table);

struct BrokenRow {
  std::int64_t line;
  std::size_t fields;           // as found
  std::string_view separation;  // "tab-separated"
};
// The DataError for a row whose number of fields isn't the header's.
DataError field_count_error(const Table& table, const BrokenRow& row);

// Throws DataError when the current line, a header of a single name, has one of the `separators` of
// another format; `expected` is this format's, in words.
void refuse_other_separator(const LineReader& lines, std::string_view separators,
                            std::string_view expected);

}  // namespace tandem
