// Which of the loop's options contradict each other.
#include <cmath>

#include "base/error.h"
#include "cli/learning_search.h"
#include "cli/loop_flags.h"
#include "train/named_schedule.h"

namespace tandem {
namespace {

void check_best_flags(const LoopOptions& loop) {
  const bool evaluates = loop.eval_strategy != IntervalStrategy::kNo;
  const auto needs_evaluations = [&](const char* option) {
    if (evaluates) return;
    throw UsageError("{} needs evaluations on the way: give --eval-strategy epoch or steps",
                     option);
  };
  if (loop.save_strategy == IntervalStrategy::kBest) needs_evaluations("--save-strategy best");
  if (loop.early_stopping_patience > 0) needs_evaluations("--early-stopping-patience");
  if (!loop.load_best_model_at_end) return;
  needs_evaluations("--load-best-model-at-end");
  if (loop.save_strategy == IntervalStrategy::kBest) return;
  if (loop.save_strategy != loop.eval_strategy) {
    throw UsageError(
        "--load-best-model-at-end needs a checkpoint of each evaluation, but --eval-strategy is {} "
        "and --save-strategy {}; give --save-strategy {} (or best)",
        name_of(loop.eval_strategy), name_of(loop.save_strategy), name_of(loop.eval_strategy));
  }
  if (loop.save_strategy != IntervalStrategy::kSteps) return;
  const double eval_steps = loop.eval_steps.value_or(loop.logging_steps);
  const double ratio = loop.save_steps / eval_steps;
  constexpr double kRounding = 1e-6;
  const bool alike = (loop.save_steps < 1) == (eval_steps < 1);
  if (!alike || std::abs(ratio - std::round(ratio)) > kRounding || ratio < 1 - kRounding) {
    throw UsageError(
        "--load-best-model-at-end needs --save-steps to be a whole multiple of --eval-steps, found "
        "{} and {}; give --save-steps {}",
        loop.save_steps, eval_steps, eval_steps);
  }
}

void check_series_flags(const TrainFlags& flags) {
  const bool tunes = !flags.autotune.empty();
  if (tunes) parse_duration(flags.autotune, "--autotune");
  if (flags.seeds == 1 && !tunes) return;
  const char* const option = tunes ? "--autotune" : "--seeds";
  if (tunes && flags.seeds > 1) {
    throw UsageError(
        "--seeds and --autotune exclude each other: search first, then try the best "
        "with several seeds");
  }
  if (!flags.data.has_evaluation()) {
    throw UsageError("{} needs rows to compare the models on: give --validation-file", option);
  }
  if (!flags.speed_report.empty()) {
    throw UsageError("{}: --speed-report is of one training; leave it out", option);
  }
  if (!tunes) return;
  if (flags.do_predict) {
    throw UsageError("--autotune: --do-predict is left to `tandem predict`, with the best model");
  }
  if (flags.trainer.max_steps > 0 || flags.trainer.global_batch_size > 0) {
    throw UsageError("--autotune chooses epochs and batches: leave out {}",
                     flags.trainer.max_steps > 0 ? "--max-steps" : "--global-batch-size");
  }
}

}  // namespace

void check_loop_flags(const TrainFlags& flags) {
  named_schedule(flags.lr_scheduler_type, flags.lr_scheduler_kwargs);
  check_best_flags(flags.loop);
  check_series_flags(flags);
  if (flags.trainer.max_steps == 0) {
    throw UsageError("--max-steps 0 trains nothing; leave it out to train whole epochs");
  }
}

}  // namespace tandem
