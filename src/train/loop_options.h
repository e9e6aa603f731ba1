#pragma once
// What happens on the way through a training besides its updates, with the names and defaults of
// transformers' TrainingArguments.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tandem {

enum class IntervalStrategy { kNo, kSteps, kEpoch, kBest };  // kBest is for saving alone
// no, steps, epoch, best; by name it must be one of these.
std::string_view name_of(IntervalStrategy strategy);
IntervalStrategy strategy_named(std::string_view name);

// Numbers of updates below 1 are a share of all, rounded up.
struct LoopOptions {
  IntervalStrategy logging_strategy = IntervalStrategy::kSteps;
  double logging_steps = 500;
  bool logging_first_step = false;

  IntervalStrategy eval_strategy = IntervalStrategy::kNo;
  std::optional<double> eval_steps = {};  // nothing: logging_steps
  double eval_delay = 0;                  // no evaluation before so many updates, or epochs

  IntervalStrategy save_strategy = IntervalStrategy::kSteps;
  double save_steps = 500;
  std::int64_t save_total_limit = 0;  // checkpoints to keep; 0 or less: all

  bool load_best_model_at_end = false;
  std::string metric_for_best_model = {};      // with or without "eval_"; empty: the loss
  std::optional<bool> greater_is_better = {};  // nothing: as higher_is_better() has it
  std::int64_t early_stopping_patience = 0;    // evaluations without a better one; 0: never stops
  double early_stopping_threshold = 0;         // a smaller improvement is none

  // Whether it matters which evaluation was the best.
  bool follows_best() const {
    return load_best_model_at_end || early_stopping_patience > 0 ||
           save_strategy == IntervalStrategy::kBest || !metric_for_best_model.empty();
  }
  // As it is called among an evaluation's results: "eval_loss".
  std::string best_metric() const;
  bool best_is_greatest() const;
};

// Whether a metric of this name is better the higher it is: all but losses, errors and durations.
// (The reference takes "mse" for better the higher it is, and so keeps the worst model.)
bool higher_is_better(std::string_view metric);

// LoopOptions' numbers of updates as whole ones.
struct LoopIntervals {
  std::int64_t logging_steps, eval_steps, save_steps;
};
LoopIntervals loop_intervals(const LoopOptions& options, std::int64_t total_steps);

// How many checkpoints are there at once, as far as that is sure beforehand: with kBest one.
std::int64_t checkpoints_at_once(const LoopOptions& options, std::int64_t total_steps,
                                 std::int64_t steps_per_epoch);

}  // namespace tandem
