#pragma once
// The evaluations of a run as a table that grows while it goes on.

#include <cstdint>
#include <string>
#include <vector>

#include "train/results.h"

namespace tandem {

struct EvaluationRow {
  std::int64_t step = 0;
  double epoch = 0;
  double train_loss = 0;   // mean over the updates since the row before
  const Results& results;  // of the evaluation; those that tell how fast it was aren't shown
  bool best = false;       // of all rows so far
};

class EvaluationTable {
 public:
  // The row as a line of text, behind one of titles if it is the first or has other results than
  // the one before.
  std::string add(const EvaluationRow& row);

 private:
  std::vector<std::string> titles_;
};

}  // namespace tandem
