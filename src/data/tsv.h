#pragma once
// Tab-separated tables as GLUE has them: a line is a row, and no character but the tab is special.
// A `"` is an ordinary character (Python's csv.QUOTE_NONE), as in datasets' loader for GLUE.

#include <string>
#include <vector>

#include "data/line_reader.h"
#include "data/table.h"

namespace tandem {

enum class BrokenRows { kFail, kSkip };

struct TsvOptions {
  // For files without a header (CoLA): the names of their columns. A first line in which one of
  // them stands as a field is a header all the same.
  std::vector<std::string> names_without_header = {};
  // What a row with too few or too many fields means; kSkip counts it in Table::skipped_rows.
  BrokenRows broken_rows = BrokenRows::kFail;
};

// Reads the whole table. A blank line is skipped, unless the table has one column: then it is a row
// with an empty text. Throws DataError (with the line, where there is one) for an empty text, no
// rows, and a row whose number of fields isn't the header's.
Table read_tsv(LineReader& lines, const TsvOptions& options = {});

// A text on each line, without a header, blank lines included; with a tab in the first line, a
// text and its pair on each. The columns are "text" and "pair".
Table read_text_lines(LineReader& lines);

}  // namespace tandem
