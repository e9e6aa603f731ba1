#pragma once
// What looks wrong about a classifier's answers.

#include <span>
#include <string>
#include <vector>

#include "data/token_dataset.h"
#include "train/evaluator.h"
#include "train/metrics.h"

namespace tandem {

// A sentence each, for the person who watches:
// - all rows are predicted to be of one class, and aren't;
// - the accuracy is below chance (1/K), and would be above the commonest label's share if the
//   classes had another order, both by more than three standard errors: the labels of model and
//   rows are numbered differently. Looked for with at most 7 classes.
// label_names[id]; nothing for regression.
std::vector<std::string> evaluation_warnings(const Judged& judged,
                                             std::span<const std::string> label_names);
// Each behind the name of the data set's file; nothing where rows don't have one label each.
std::vector<std::string> evaluation_warnings(const Predictions&, const TokenDataset&,
                                             const LabelScheme&);

}  // namespace tandem
