#include "train/loop_options.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace tandem {
namespace {

constexpr std::array<std::pair<std::string_view, IntervalStrategy>, 4> kStrategies = {
    {{"no", IntervalStrategy::kNo},
     {"steps", IntervalStrategy::kSteps},
     {"epoch", IntervalStrategy::kEpoch},
     {"best", IntervalStrategy::kBest}}};

}  // namespace

std::string_view name_of(IntervalStrategy strategy) {
  return std::ranges::find(kStrategies, strategy, &decltype(kStrategies)::value_type::second)
      ->first;
}

IntervalStrategy strategy_named(std::string_view name) {
  const auto* const found =
      std::ranges::find(kStrategies, name, &decltype(kStrategies)::value_type::first);
  TANDEM_CHECK(found != kStrategies.end(), "there is no strategy {}", name);
  return found->second;
}

std::string LoopOptions::best_metric() const {
  if (metric_for_best_model.empty()) return "eval_loss";
  return metric_for_best_model.starts_with("eval_") ? metric_for_best_model
                                                    : "eval_" + metric_for_best_model;
}

bool LoopOptions::best_is_greatest() const {
  return greater_is_better.value_or(higher_is_better(best_metric()));
}

bool higher_is_better(std::string_view metric) {
  constexpr std::array<std::string_view, 7> kLowerIsBetter = {"loss", "error", "mse",    "mae",
                                                              "ece",  "brier", "runtime"};
  // MNLI's second validation set.
  constexpr std::string_view kMismatched = "_mm";
  if (metric.ends_with(kMismatched)) metric.remove_suffix(kMismatched.size());
  return std::ranges::none_of(kLowerIsBetter,
                              [&](std::string_view end) { return metric.ends_with(end); });
}

LoopIntervals loop_intervals(const LoopOptions& options, std::int64_t total_steps) {
  const auto whole = [&](double steps) {
    const double updates = steps < 1 ? std::ceil(static_cast<double>(total_steps) * steps) : steps;
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(updates));
  };
  return {.logging_steps = whole(options.logging_steps),
          .eval_steps = whole(options.eval_steps.value_or(options.logging_steps)),
          .save_steps = whole(options.save_steps)};
}

std::int64_t checkpoints_at_once(const LoopOptions& options, std::int64_t total_steps,
                                 std::int64_t steps_per_epoch) {
  std::int64_t count = 0;
  if (options.save_strategy == IntervalStrategy::kSteps) {
    count = total_steps / loop_intervals(options, total_steps).save_steps;
  } else if (options.save_strategy == IntervalStrategy::kEpoch) {
    count = (total_steps + steps_per_epoch - 1) / steps_per_epoch;
  }
  const bool of_the_best =
      options.load_best_model_at_end || options.save_strategy == IntervalStrategy::kBest;
  if (of_the_best) count = std::max<std::int64_t>(count, 1);
  // A new one is complete before an old one goes.
  if (options.save_total_limit > 0) count = std::min(count, options.save_total_limit + 1);
  return count;
}

}  // namespace tandem
