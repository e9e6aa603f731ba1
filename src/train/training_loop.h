#pragma once
// All updates of a run, with log entries, evaluations and checkpoints on the way.

#include <cstdint>
#include <functional>
#include <optional>

#include "train/best_model.h"
#include "train/loop_options.h"
#include "train/results.h"
#include "train/run_log.h"
#include "train/step_times.h"
#include "train/trainer.h"
#include "train/training_curve.h"

namespace tandem {

struct LoopResult {
  double mean_loss = 0;  // over all updates
  double seconds = 0;    // of training alone, evaluations and checkpoints left out
  std::int64_t steps = 0, examples = 0, tokens = 0;
  double epoch = 0;
  bool interrupted = false;
  bool stopped_early = false;                   // by early_stopping_patience
  std::optional<BestEvaluation> best;           // where LoopOptions::follows_best()
  std::optional<std::int64_t> best_checkpoint;  // of which step; the best that was saved
  SpeedRecord speed;
  TrainingCurve curve;
};

// What the loop has done on its way.
struct LoopActions {
  // Evaluates the model as it is now, on all ranks together; what rank 0 returns counts, and goes
  // to the log.
  std::function<Results()> evaluate;
  // Writes a checkpoint of the model as it is now: on rank 0 alone, while the others wait.
  std::function<void(const LoopResult& so_far)> save;
  // Looks at the speed of the first kStepsOfPace steps, once.
  std::function<void(const SpeedRecord& so_far)> judge_pace = {};
};
inline constexpr std::int64_t kStepsOfPace = 20;

// Ends early, in good order, when interrupted() says so. With several ranks, rank 0 decides what is
// saved and when to stop, and tells the others. With save_strategy "steps" the last update's model
// is saved as well if any was before it, or if the best is to be found; a run that is too short for
// either has its model in the output directory alone. A new best is always saved with
// load_best_model_at_end. Throws UsageError when an evaluation lacks the metric that decides.
LoopResult run_training(Trainer&, const LoopOptions&, RunLog&, const LoopActions&);

}  // namespace tandem
