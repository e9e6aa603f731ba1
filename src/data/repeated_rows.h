#pragma once
// Rows that have the text of an earlier one, in the same file or in another of the data set.

#include <span>
#include <vector>

#include "data/example.h"
#include "data/finding.h"

namespace tandem {

// For each set, warnings of these kinds: "duplicate" (text, pair and label of an earlier row),
// "contradiction" (the same text with another label) and "leak" (text of a row in an earlier set).
// Texts are compared without white space at their ends; empty ones are left out.
std::vector<DataFinding> find_repeated_rows(std::span<const ExampleSet> sets);

}  // namespace tandem
