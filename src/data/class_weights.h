#pragma once
// How much each class counts in the loss.

#include <vector>

#include "data/example.h"
#include "data/table.h"

namespace tandem {

// As scikit-learn's compute_class_weight("balanced"): N / (K count), so that all classes count
// alike together; 1 for a class without examples.
std::vector<float> balanced_class_weights(const ExampleSet& examples, const LabelScheme& scheme);

// From a table with the columns "label" and "weight" and one row for each class, in any order.
// Throws DataError, with the line where there is one, for another column, a label that isn't the
// scheme's, is missing or stands there twice, and a weight that isn't a number above 0.
std::vector<float> read_class_weights(const Table& table, const LabelScheme& scheme);

}  // namespace tandem
