#include "train/training_loop.h"

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
               const LoopActions& actions, TrainingProgress so_far)
      : trainer_(trainer),
        options_(options),
        calendar_(options, trainer.total_steps(), trainer.steps_per_epoch()),
        log_(log),
        actions_(actions),
        best_model_(options, so_far.best),
        progress_("training", trainer.total_steps()) {
    static_cast<TrainingProgress&>(reached_) = std::move(so_far);
    reached_.epoch = trainer.epoch_after(reached_.steps - 1);
    reached_.stopped_early = best_model_.out_of_patience() && !at_the_end();
  }

  LoopResult run() {
    if (!reached_.settled) settle();
    while (!at_the_end() && !reached_.interrupted && !reached_.stopped_early) {
      update();
      if (!reached_.settled && !reached_.interrupted) settle();
    }
    // What an interrupted run leaves out here, the one that goes on with it has in a later entry.
    const bool ended = !reached_.interrupted && options_.logging_strategy != IntervalStrategy::kNo;
    if (ended && reached_.since_entry.count > 0) add_log_entry();
    return std::move(reached_);
  }

 private:
  bool at_the_end() const { return reached_.steps == trainer_.total_steps(); }

  void update() {
    if (is_root() && actions_.check_saving) actions_.check_saving();
    Stopwatch watch;
    const StepResult step = trainer_.run_step(reached_.steps);
    reached_.interrupted = step.interrupted;
    if (step.abandoned) return;
    count(step, watch.lap());
    reached_.settled = false;
    if (calendar_.logging_due(reached_.steps)) add_log_entry();
    progress_.update(reached_.steps, [&] { return note(); });
    if (actions_.judge_pace && std::ssize(reached_.speed.steps()) == kStepsOfPace) {
      actions_.judge_pace(reached_.speed);
    }
  }

  void count(const StepResult& step, double seconds) {
    reached_.epoch = trainer_.epoch_after(reached_.steps);
    ++reached_.steps;
    reached_.examples += step.examples;
    reached_.tokens += step.tokens;
    reached_.seconds += seconds;
    reached_.gradient_norm = step.gradient_norm;
    reached_.learning_rate = step.learning_rate;
    for (RunningMean* const sum :
         {&reached_.all, &reached_.since_entry, &reached_.since_evaluation}) {
      sum->add(step.loss);
    }
    reached_.curve.add({.step = static_cast<double>(reached_.steps),
                        .loss = step.loss,
                        .gradient_norm = step.gradient_norm,
                        .learning_rate = step.learning_rate});
    reached_.speed.add(step.times, step.examples, step.tokens);
    time_left_.add_step(seconds);
  }

  ProgressNote note() const {
    const RunningMean& loss = reached_.since_entry.count > 0 ? reached_.since_entry : reached_.all;
    return {.text = fmt::format("epoch {:.2f}, loss {:.4f}, learning rate {:.2e}, {:.1f} samples/s",
                                reached_.epoch, loss.mean(), reached_.learning_rate,
                                static_cast<double>(reached_.examples) / reached_.seconds),
            .seconds_left = time_left_.of(calendar_.ahead_of(reached_.steps))};
  }

  void add_log_entry() {
    log_.add_training({.step = reached_.steps,
                       .epoch = reached_.epoch,
                       .loss = reached_.since_entry.mean(),
                       .gradient_norm = reached_.gradient_norm,
                       .learning_rate = reached_.learning_rate});
    reached_.since_entry = {};
  }

  // Does what is due after the last update.
  void settle() {
    const bool evaluates = calendar_.evaluation_due(reached_.steps, reached_.epoch);
    const bool saves = calendar_.checkpoint_due(reached_.steps, reached_.saved_before);
    if (!evaluates && !saves) {
      reached_.settled = true;
      return;
    }
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
                         .train_loss = reached_.since_evaluation.mean(),
                         .results = results,
                         .best = decision.better}));
    reached_.since_evaluation = {};
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

  // The same on every rank, but for the writing.
  void carry_out(const Decision& decision) {
    reached_.interrupted = decision.interrupted;
    if (decision.interrupted) return;
    reached_.settled = true;
    reached_.stopped_early = decision.stop;
    if (is_root()) {
      reached_.best = best_model_.state();
    } else if (decision.better) {
      reached_.best.evaluation = {.step = reached_.steps, .value = decision.value};
    }
    if (!decision.save) return;
    if (reached_.best.evaluation && reached_.best.evaluation->step == reached_.steps) {
      reached_.best_checkpoint = reached_.steps;
    }
    reached_.saved_before = true;
    if (!is_root()) return;
    Stopwatch watch;
    actions_.save(reached_);
    time_left_.add_checkpoint(watch.lap());
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
};

}  // namespace

LoopResult run_training(Trainer& trainer, const LoopOptions& options, RunLog& log,
                        const LoopActions& actions, TrainingProgress so_far) {
  return TrainingLoop(trainer, options, log, actions, std::move(so_far)).run();
}

}  // namespace tandem
