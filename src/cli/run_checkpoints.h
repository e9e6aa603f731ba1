#pragma once
// What a run saves on its way: a model that transformers loads, and all that it takes to go on.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/background_task.h"
#include "cli/model_session.h"
#include "nn/compute.h"
#include "train/checkpoint_arrays.h"
#include "train/checkpoints.h"
#include "train/training_progress.h"

namespace tandem {

// The texts that a checkpoint holds beside its arrays.
struct CheckpointTexts {
  std::string trainer_state, arguments, progress;
};

class RunCheckpoints {
 public:
  // `resumed_at` as Checkpoints has it. What is referred to must outlive this.
  RunCheckpoints(Checkpoints checkpoints, const ModelSession& session, Compute& compute)
      : checkpoints_(std::move(checkpoints)), session_(session), compute_(compute) {}

  // Copies the arrays and writes them while training goes on; where there is no memory for a copy,
  // writes them at once. Waits for the one before. Throws what went wrong with that, or WallError.
  void begin(std::int64_t step, const CheckpointArrays& arrays, CheckpointTexts texts,
             std::optional<std::int64_t> best_step);
  // Throws what went wrong since.
  void check() { task_.check(); }
  // Returns once all is written; throws what went wrong.
  void wait() { task_.wait(); }

  // Comes after wait().
  const Checkpoints& written() const { return checkpoints_; }
  void finish(std::optional<std::int64_t> best_step) { checkpoints_.finish(best_step); }

 private:
  void write(std::int64_t step, const CheckpointArrays& arrays, const CheckpointTexts& texts,
             std::optional<std::int64_t> best_step);

  Checkpoints checkpoints_;
  const ModelSession& session_;
  Compute& compute_;
  TrainingSnapshot snapshot_;
  BackgroundTask task_;  // last: it uses the others
};

}  // namespace tandem
