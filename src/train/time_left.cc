#include "train/time_left.h"

namespace tandem {

void TimeLeft::add_step(double seconds) {
  // The first touches memory for the first time: it is forgotten when there is another.
  if (!warmed_up_ && steps_.count == 1) {
    steps_ = {};
    warmed_up_ = true;
  }
  steps_.add(seconds);
}

double TimeLeft::of(const WorkAhead& ahead) const {
  return steps_.times(ahead.steps) + evaluations_.times(ahead.evaluations) +
         checkpoints_.times(ahead.checkpoints);
}

}  // namespace tandem
