#pragma once
// How much longer a run will take, from what it has done so far.

#include <cstdint>

#include "train/running_mean.h"

namespace tandem {

// What is still to be done.
struct WorkAhead {
  std::int64_t steps = 0, evaluations = 0, checkpoints = 0;
};

// Each kind of work at its own mean: an evaluation in between doesn't make the steps look slower.
class TimeLeft {
 public:
  // Seconds that one of each took.
  void add_step(double seconds);
  void add_evaluation(double seconds) { evaluations_.add(seconds); }
  void add_checkpoint(double seconds) { checkpoints_.add(seconds); }

  // Seconds. What has not been seen yet counts as nothing.
  double of(const WorkAhead& ahead) const;

 private:
  bool warmed_up_ = false;
  RunningMean steps_, evaluations_, checkpoints_;
};

}  // namespace tandem
