#pragma once
// Several labels in one cell: a list in JSON Lines, or texts with a separator between them.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/table.h"

namespace tandem {

// Whether any cell of the column is a list.
bool has_lists(const Table& table, std::size_t column);

// The labels of a cell, trimmed, each once, in the order in which they stand there: the elements of
// a list, or the parts of a text between `separator`s (all of it when that is empty). An empty list
// and an empty text have none. Throws DataError with the line for null, an object, and an element
// that is neither a text, a number nor a boolean, or is empty.
std::vector<std::string> labels_in_cell(const Table& table, std::int64_t row, std::size_t column,
                                        std::string_view separator);

}  // namespace tandem
