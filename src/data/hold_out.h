#pragma once
// A share of the training rows kept for validation.

#include <cstdint>

#include "data/example.h"

namespace tandem {

struct HoldOutOptions {
  double share = 0.1;  // above 0 and below 1
  std::uint64_t seed = 42;
};

struct HeldOutRows {
  ExampleSet training, validation;
};

// Takes round(share N) rows, at least one, so that each label has the same share of both parts as
// nearly as whole rows allow (of several labels at once, a row counts for its rarest); the last row
// of a label stays in training. Which rows is a function of the seed and their number alone. Both
// parts keep the order of the file. Throws DataError when there are fewer than two rows, or no
// label has two.
HeldOutRows hold_out(ExampleSet examples, const LabelScheme& labels, const HoldOutOptions& options);

}  // namespace tandem
