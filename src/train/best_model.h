#pragma once
// Which evaluation was the best so far, and when to wait for a better one no longer.

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "train/loop_options.h"
#include "train/results.h"

namespace tandem {

struct BestEvaluation {
  std::int64_t step;  // updates done then
  double value;       // of the metric that decides
};

// What is known of the evaluations so far.
struct BestSoFar {
  std::optional<BestEvaluation> evaluation = {};
  std::int64_t evaluations_without_a_better = 0;
};

// As transformers' Trainer and its EarlyStoppingCallback decide.
class BestModel {
 public:
  explicit BestModel(const LoopOptions& options, const BestSoFar& so_far = {});

  // The results after so many updates; whether they are better than all before. NaN is never.
  // Throws UsageError that names the metrics there are when the one that decides isn't among them.
  bool add(std::int64_t step, const Results& results);
  const std::optional<BestEvaluation>& best() const { return state_.evaluation; }
  const BestSoFar& state() const { return state_; }
  // Whether as many evaluations as early_stopping_patience says weren't better than the best before
  // them by more than early_stopping_threshold.
  bool out_of_patience() const;

 private:
  LoopOptions options_;
  BestSoFar state_;
};

// The value of LoopOptions::best_metric() among results; throws as BestModel::add.
double deciding_value(const LoopOptions& options, const Results& results);

// Throws the same UsageError when the metric isn't one of these names of results.
void check_best_metric(const LoopOptions& options, std::span<const std::string> names);

// Whether `value` is better than `than`, by the options' direction; NaN is not.
bool is_better(const LoopOptions& options, double value, double than);

}  // namespace tandem
