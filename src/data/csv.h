#pragma once
// Comma-separated tables by RFC 4180, with a header.

#include "data/line_reader.h"
#include "data/table.h"

namespace tandem {

// Reads the whole table. A field in quotes may hold commas, line ends (kept as they are) and
// quotes, written twice. As in pandas, blank lines are skipped, and a quote inside a field that
// doesn't start with one is an ordinary character. Throws DataError (with the line where the row
// starts) for an empty text, no rows, a wrong number of fields, something after a closing quote,
// and a quote that is never closed (or not within kMaxLineBytes).
Table read_csv(LineReader& lines);

}  // namespace tandem
