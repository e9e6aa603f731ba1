#include "train/training_loop.h"

#include <chrono>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/progress.h"

namespace tandem {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The updates since the last log entry.
struct Window {
  double loss = 0;
  std::int64_t steps = 0;
};

bool evaluation_due(const LoopOptions& options, const Trainer& trainer, std::int64_t done) {
  switch (options.eval_strategy) {
    case IntervalStrategy::kNo:
      return false;
    case IntervalStrategy::kSteps:
      return done % options.eval_steps == 0;
    case IntervalStrategy::kEpoch:
      return done % trainer.steps_per_epoch() == 0 || done == trainer.total_steps();
  }
  return false;
}

// Nothing when it was interrupted: what was trained is still to be saved.
std::optional<Results> evaluate_unless_interrupted(const Evaluate& evaluate) {
  try {
    return evaluate();
  } catch (const Error& error) {
    if (error.exit_code() != ExitCode::kInterrupted) throw;
    return std::nullopt;
  }
}

std::string epoch_line(std::int64_t done, double epoch, const Results& results) {
  std::string line = fmt::format("step {} (epoch {:.2f})", done, epoch);
  for (const auto& [name, value] : results) {
    if (name.ends_with("_runtime") || name.ends_with("_second") || name.ends_with("_samples")) {
      continue;
    }
    line += fmt::format("  {} {:.4f}", name, value);
  }
  return line;
}

}  // namespace

LoopResult run_training(Trainer& trainer, const LoopOptions& options, RunLog& log,
                        const Evaluate& evaluate) {
  LoopResult result;
  Window window;
  double loss_sum = 0;
  Progress progress("training", trainer.total_steps());
  for (std::int64_t step = 0; step < trainer.total_steps() && !result.interrupted; ++step) {
    const Clock::time_point start = Clock::now();
    const StepResult update = trainer.run_step(step);
    result.seconds += seconds_since(start);
    result.steps = step + 1;
    result.examples += update.examples;
    result.tokens += update.tokens;
    result.speed.add(update.times, update.examples, update.tokens);
    result.curve.add({.step = static_cast<double>(result.steps),
                      .loss = update.loss,
                      .gradient_norm = update.gradient_norm,
                      .learning_rate = update.learning_rate});
    result.epoch = trainer.epoch_after(step);
    result.interrupted = update.interrupted;
    loss_sum += update.loss;
    window.loss += update.loss;
    ++window.steps;
    const double window_loss = window.loss / static_cast<double>(window.steps);
    progress.update(result.steps, [&] {
      return fmt::format("epoch {:.2f}, loss {:.4f}, learning rate {:.2e}, {:.1f} samples/s",
                         result.epoch, window_loss, update.learning_rate,
                         static_cast<double>(result.examples) / result.seconds);
    });
    const bool last = result.steps == trainer.total_steps() || result.interrupted;
    if (result.steps % options.logging_steps == 0 || last) {
      log.add_training({.step = result.steps,
                        .epoch = result.epoch,
                        .loss = window_loss,
                        .gradient_norm = update.gradient_norm,
                        .learning_rate = update.learning_rate});
      window = {};
    }
    if (evaluation_due(options, trainer, result.steps) && !result.interrupted) {
      progress.clear();
      if (const std::optional<Results> results = evaluate_unless_interrupted(evaluate)) {
        log.add_results(result.steps, result.epoch, *results);
        log_line(epoch_line(result.steps, result.epoch, *results));
      } else {
        result.interrupted = true;
      }
    }
  }
  result.mean_loss = loss_sum / static_cast<double>(result.steps);
  return result;
}

}  // namespace tandem
