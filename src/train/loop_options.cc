#include "train/loop_options.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace tandem {

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

}  // namespace tandem
