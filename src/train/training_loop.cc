#include "train/training_loop.h"

#include <chrono>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/progress.h"
#include "comm/collectives.h"
#include "train/evaluation_table.h"
#include "train/loop_calendar.h"
#include "train/time_left.h"

namespace tandem {
namespace {

// The updates since something.
struct Window {
  double loss = 0;
  std::int64_t steps = 0;
  void add(double more) {
    loss += more;
    ++steps;
  }
  double mean() const { return loss / static_cast<double>(steps); }
};

// What rank 0 makes of an evaluation, for all.
struct Decision {
  bool interrupted = false;
  bool better = false;  // than all evaluations before
  double value = 0;     // of the metric that decides, when better
  bool save = false, stop = false;
};

// Nothing when it was interrupted: what was trained is still to be saved.
std::optional<Results> evaluate_unless_interrupted(const LoopActions& actions) {
  try {
    return actions.evaluate();
  } catch (const Error& error) {
    if (error.exit_code() != ExitCode::kInterrupted) throw;
    return std::nullopt;
  }
}

class TrainingLoop {
 public:
  TrainingLoop(Trainer& trainer, const LoopOptions& options, RunLog& log,
               const LoopActions& actions)
      : trainer_(trainer),
        options_(options),
        calendar_(options, trainer.total_steps(), trainer.steps_per_epoch()),
        log_(log),
        actions_(actions),
        best_model_(options),
        progress_("training", trainer.total_steps()) {}

  LoopResult run() {
    double loss_sum = 0;
    while (!at_the_end() && !reached_.interrupted && !reached_.stopped_early) {
      update();
      loss_sum += last_.loss;
      if (calendar_.logging_due(reached_.steps)) add_log_entry();
      if (!reached_.interrupted) evaluate_and_save();
    }
    if (since_entry_.steps > 0 && options_.logging_strategy != IntervalStrategy::kNo)
      add_log_entry();
    reached_.mean_loss = loss_sum / static_cast<double>(reached_.steps);
    return std::move(reached_);
  }

 private:
  bool at_the_end() const { return reached_.steps == trainer_.total_steps(); }

  void update() {
    Stopwatch watch;
    last_ = trainer_.run_step(reached_.steps);
    const double seconds = watch.lap();
    reached_.seconds += seconds;
    time_left_.add_step(seconds);
    reached_.epoch = trainer_.epoch_after(reached_.steps);
    ++reached_.steps;
    reached_.examples += last_.examples;
    reached_.tokens += last_.tokens;
    reached_.speed.add(last_.times, last_.examples, last_.tokens);
    reached_.curve.add({.step = static_cast<double>(reached_.steps),
                        .loss = last_.loss,
                        .gradient_norm = last_.gradient_norm,
                        .learning_rate = last_.learning_rate});
    reached_.interrupted = last_.interrupted;
    since_entry_.add(last_.loss);
    since_evaluation_.add(last_.loss);
    progress_.update(reached_.steps, [&] {
      return ProgressNote{
          .text = fmt::format("epoch {:.2f}, loss {:.4f}, learning rate {:.2e}, {:.1f} samples/s",
                              reached_.epoch, since_entry_.mean(), last_.learning_rate,
                              static_cast<double>(reached_.examples) / reached_.seconds),
          .seconds_left = time_left_.of(calendar_.ahead_of(reached_.steps))};
    });
    if (actions_.judge_pace && std::ssize(reached_.speed.steps()) == kStepsOfPace) {
      actions_.judge_pace(reached_.speed);
    }
  }

  void add_log_entry() {
    log_.add_training({.step = reached_.steps,
                       .epoch = reached_.epoch,
                       .loss = since_entry_.mean(),
                       .gradient_norm = last_.gradient_norm,
                       .learning_rate = last_.learning_rate});
    since_entry_ = {};
  }

  void evaluate_and_save() {
    const bool evaluates = calendar_.evaluation_due(reached_.steps, reached_.epoch);
    const bool saves = calendar_.checkpoint_due(reached_.steps, saved_before_);
    if (!evaluates && !saves) return;
    progress_.clear();
    std::optional<Results> results;
    if (evaluates) {
      Stopwatch watch;
      results = evaluate_unless_interrupted(actions_);
      time_left_.add_evaluation(watch.lap());
    }
    const bool interrupted = evaluates && !results;
    Decision decision{.interrupted = interrupted, .save = saves && !interrupted};
    if (is_root() && results) judge(*results, decision);
    if (trainer_.communicator() != nullptr) {
      broadcast(*trainer_.communicator(), std::as_writable_bytes(std::span(&decision, 1)), kRoot,
                "what follows from an evaluation");
    }
    carry_out(decision);
  }

  void judge(const Results& results, Decision& decision) {
    log_.add_results(reached_.steps, reached_.epoch, results);
    if (options_.follows_best()) {
      decision.better = best_model_.add(reached_.steps, results);
      if (decision.better) decision.value = best_model_.best()->value;
      const bool wants_the_best =
          options_.save_strategy == IntervalStrategy::kBest || options_.load_best_model_at_end;
      decision.save = decision.save || (decision.better && wants_the_best);
      decision.stop = best_model_.out_of_patience() && !at_the_end();
    }
    log_line(table_.add({.step = reached_.steps,
                         .epoch = reached_.epoch,
                         .train_loss = since_evaluation_.mean(),
                         .results = results,
                         .best = decision.better}));
    since_evaluation_ = {};
    if (decision.stop) say_stop();
  }

  void say_stop() const {
    const std::string since = best_model_.best()
                                  ? fmt::format("{:.4f} after step {}", best_model_.best()->value,
                                                best_model_.best()->step)
                                  : "any number";
    log_info(
        "stopping early after step {} of {}: {} evaluation{} in a row had no better {} than {}",
        reached_.steps, trainer_.total_steps(), options_.early_stopping_patience,
        options_.early_stopping_patience == 1 ? "" : "s", options_.best_metric(), since);
  }

  // The same on every rank.
  void carry_out(const Decision& decision) {
    reached_.interrupted = decision.interrupted;
    reached_.stopped_early = decision.stop;
    if (decision.better) reached_.best = {.step = reached_.steps, .value = decision.value};
    if (!decision.save) return;
    if (reached_.best && reached_.best->step == reached_.steps) {
      reached_.best_checkpoint = reached_.steps;
    }
    Stopwatch watch;
    if (is_root()) actions_.save(reached_);
    time_left_.add_checkpoint(watch.lap());
    saved_before_ = true;
    if (trainer_.communicator() == nullptr) return;
    // Writing may take a while; without this the others would wait for the next update's gradients,
    // which come sooner or not at all.
    constexpr Deadline kLongestSave = std::chrono::hours(1);
    barrier(*trainer_.communicator(), "rank 0 to write a checkpoint", kLongestSave);
  }

  bool is_root() const {
    return trainer_.communicator() == nullptr || trainer_.communicator()->rank() == kRoot;
  }

  static constexpr int kRoot = 0;
  Trainer& trainer_;
  const LoopOptions& options_;
  LoopCalendar calendar_;
  RunLog& log_;
  const LoopActions& actions_;
  BestModel best_model_;
  Progress progress_;
  EvaluationTable table_;
  TimeLeft time_left_;
  LoopResult reached_;
  StepResult last_{};
  Window since_entry_, since_evaluation_;
  bool saved_before_ = false;
};

}  // namespace

LoopResult run_training(Trainer& trainer, const LoopOptions& options, RunLog& log,
                        const LoopActions& actions) {
  return TrainingLoop(trainer, options, log, actions).run();
}

}  // namespace tandem
