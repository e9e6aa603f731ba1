#pragma once
// After which updates something is logged, evaluated or saved.

#include <cstdint>

#include "train/loop_options.h"
#include "train/time_left.h"

namespace tandem {

// Steps are counted from 1: what is due after update `step`.
class LoopCalendar {
 public:
  // The options must outlive this.
  LoopCalendar(const LoopOptions& options, std::int64_t total_steps, std::int64_t steps_per_epoch);

  bool logging_due(std::int64_t step) const;
  // Not before eval_delay; `epoch` is the fraction of epochs done.
  bool evaluation_due(std::int64_t step, double epoch) const;
  // `any_before`: the last update's model is then saved as well.
  bool checkpoint_due(std::int64_t step, bool any_before) const;
  // What comes after update `step`, if nothing ends the run early.
  WorkAhead ahead_of(std::int64_t step) const;

 private:
  // Whether the update ends an interval, or an epoch (the last may be a part of one).
  bool ends(IntervalStrategy strategy, std::int64_t steps, std::int64_t step) const;
  std::int64_t ends_until(IntervalStrategy strategy, std::int64_t steps, std::int64_t step) const;

  const LoopOptions& options_;
  LoopIntervals intervals_;
  std::int64_t total_steps_, steps_per_epoch_;
};

}  // namespace tandem
