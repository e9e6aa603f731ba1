#pragma once
// JSON Lines: one JSON object (RFC 8259) on each line.

#include "data/line_reader.h"
#include "data/table.h"

namespace tandem {

// Reads the whole table. The columns are the first object's keys in their order, and every line
// must have the same keys (null where there is no value). A string's cell is its text, any other
// value's its JSON text, with its CellKind; numbers keep a decimal point (3.0). Blank lines are
// skipped. Throws DataError with the line for what isn't one JSON object on a line, a key that
// appears twice, is missing or is new, NUL in a string, and nesting deeper than 64.
Table read_json_lines(LineReader& lines);

}  // namespace tandem
