#include "train/loop_calendar.h"

namespace tandem {

LoopCalendar::LoopCalendar(const LoopOptions& options, std::int64_t total_steps,
                           std::int64_t steps_per_epoch)
    : options_(options),
      intervals_(loop_intervals(options, total_steps)),
      total_steps_(total_steps),
      steps_per_epoch_(steps_per_epoch) {}

bool LoopCalendar::logging_due(std::int64_t step) const {
  if (step == 1 && options_.logging_first_step) return true;
  return ends(options_.logging_strategy, intervals_.logging_steps, step) ||
         (options_.logging_strategy != IntervalStrategy::kNo && step == total_steps_);
}

bool LoopCalendar::evaluation_due(std::int64_t step, double epoch) const {
  const bool by_steps = options_.eval_strategy == IntervalStrategy::kSteps;
  const double so_far = by_steps ? static_cast<double>(step) : epoch;
  return (ends(options_.eval_strategy, intervals_.eval_steps, step) ||
          (by_steps && step == total_steps_)) &&
         options_.eval_delay <= so_far;
}

bool LoopCalendar::checkpoint_due(std::int64_t step, bool any_before) const {
  if (ends(options_.save_strategy, intervals_.save_steps, step)) return true;
  return options_.save_strategy == IntervalStrategy::kSteps && step == total_steps_ &&
         (any_before || options_.load_best_model_at_end);
}

WorkAhead LoopCalendar::ahead_of(std::int64_t step) const {
  const auto ahead = [&](IntervalStrategy strategy, std::int64_t steps) {
    return ends_until(strategy, steps, total_steps_) - ends_until(strategy, steps, step);
  };
  return {.steps = total_steps_ - step,
          .evaluations = ahead(options_.eval_strategy, intervals_.eval_steps),
          .checkpoints = ahead(options_.save_strategy, intervals_.save_steps)};
}

bool LoopCalendar::ends(IntervalStrategy strategy, std::int64_t steps, std::int64_t step) const {
  if (strategy == IntervalStrategy::kSteps) return step % steps == 0;
  if (strategy != IntervalStrategy::kEpoch) return false;
  return step % steps_per_epoch_ == 0 || step == total_steps_;
}

std::int64_t LoopCalendar::ends_until(IntervalStrategy strategy, std::int64_t steps,
                                      std::int64_t step) const {
  if (strategy == IntervalStrategy::kSteps) return step / steps;
  if (strategy != IntervalStrategy::kEpoch) return 0;
  const bool ends_within_an_epoch = step == total_steps_ && step % steps_per_epoch_ != 0;
  return step / steps_per_epoch_ + (ends_within_an_epoch ? 1 : 0);
}

}  // namespace tandem
