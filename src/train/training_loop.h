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
#include "train/training_progress.h"

namespace tandem {

// How far a run came, what went before it included.
struct LoopResult : TrainingProgress {
  double epoch = 0;
  bool interrupted = false;
  bool stopped_early = false;  // by early_stopping_patience
  SpeedRecord speed;           // of this run's steps alone
};

// What the loop has done on its way.
struct LoopActions {
  // Evaluates the model as it is now, on all ranks together; what rank 0 returns counts, and goes
  // to the log.
  std::function<Results()> evaluate;
  // Writes, or begins to write, a checkpoint of the training as it is now: on rank 0 alone, while
  // the others go on.
  std::function<void(const TrainingProgress& so_far)> save;
  // Throws what went wrong with a checkpoint since: called before each update, on rank 0 alone.
  std::function<void()> check_saving = {};
  // Looks at the speed of the first kStepsOfPace steps, once.
  std::function<void(const SpeedRecord& so_far)> judge_pace = {};
};
inline constexpr std::int64_t kStepsOfPace = 20;

// Ends early, in good order, when interrupted() says so. With several ranks, rank 0 decides what is
// saved and when to stop, and tells the others. With save_strategy "steps" the last update's model
// is saved as well if any was before it, or if the best is to be found; a run that is too short for
// either has its model in the output directory alone. A new best is always saved with
// load_best_model_at_end. `so_far` is where an earlier run, whose weights and moments the trainer
// has, was when it saved. Throws UsageError when an evaluation lacks the metric that decides.
LoopResult run_training(Trainer&, const LoopOptions&, RunLog&, const LoopActions&,
                        TrainingProgress so_far = {});

}  // namespace tandem
