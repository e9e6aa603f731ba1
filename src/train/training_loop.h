#pragma once
// All updates of a run, with progress, log entries and evaluations on the way.

#include <cstdint>
#include <functional>

#include "train/run_log.h"
#include "train/step_times.h"
#include "train/trainer.h"
#include "train/training_curve.h"

namespace tandem {

enum class IntervalStrategy { kNo, kSteps, kEpoch };

struct LoopOptions {
  std::int64_t logging_steps = 500;
  IntervalStrategy eval_strategy = IntervalStrategy::kNo;
  std::int64_t eval_steps = 500;
};

struct LoopResult {
  double mean_loss = 0;  // over all updates
  double seconds = 0;    // of training alone, evaluations left out
  std::int64_t steps = 0, examples = 0, tokens = 0;
  double epoch = 0;
  bool interrupted = false;
  SpeedRecord speed;
  TrainingCurve curve;
};

// Evaluates the model as it is now; its results go to the log.
using Evaluate = std::function<Results()>;

// Ends early, in good order, when interrupted() says so.
LoopResult run_training(Trainer&, const LoopOptions&, RunLog&, const Evaluate&);

}  // namespace tandem
