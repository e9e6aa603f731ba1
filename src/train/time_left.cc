#include "train/time_left.h"

namespace tandem {
namespace {

double seconds_of(std::int64_t ahead, const RunningMean& seconds) {
  return seconds.count == 0 ? 0 : seconds.mean() * static_cast<double>(ahead);
}

}  // namespace

void TimeLeft::add_step(double seconds) {
  // The first touches memory for the first time: it is forgotten when there is another.
  if (!warmed_up_ && steps_.count == 1) {
    steps_ = {};
    warmed_up_ = true;
  }
  steps_.add(seconds);
}

double TimeLeft::of(const WorkAhead& ahead) const {
  return seconds_of(ahead.steps, steps_) + seconds_of(ahead.evaluations, evaluations_) +
         seconds_of(ahead.checkpoints, checkpoints_);
}

}  // namespace tandem
