#include "cli/train_run.h"

#include <utility>

#include <fmt/ranges.h>

#include "base/cpu.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/progress.h"
#include "cli/machine_table.h"
#include "cli/predictions_text.h"
#include "cli/published_results.h"
#include "cli/train_peer.h"
#include "train/agreement.h"
#include "train/evaluation_warnings.h"
#include "train/evaluator.h"
#include "train/shared_inputs.h"
#include "train/slow_training.h"
#include "train/speed_report.h"

namespace tandem {
TrainRun::TrainRun(const TrainFlags& flags, std::string flags_json, const Job& job,
                   Compute& compute, const TrainInputs& inputs, ModelSession& session,
                   const OutputDirectory& volume, RunPlace place,
                   std::optional<ResumePoint> resumed)
    : flags_(flags),
      flags_json_(std::move(flags_json)),
      job_(job),
      compute_(compute),
      inputs_(inputs),
      session_(session),
      volume_(volume),
      place_(std::move(place)),
      resumed_(std::move(resumed)),
      reports_(flags.reports, place_.output, flags.model, flags_json_),
      log_([this](const nlohmann::json& entry) { reports_.add_entry(entry); }) {}

RunOutcome TrainRun::run() {
  RunOutcome outcome;
  if (inputs_.training_set) outcome.trained = train(*inputs_.training_set);
  if (inputs_.evaluates_at_the_end) {
    outcome.evaluation = evaluate_all();
    show_results("eval", outcome.evaluation);
    if (!inputs_.data.name.empty() && place_.prints_results) {
      say_published_results(find_task(inputs_.data.name), outcome.evaluation);
    }
    save_results("eval", outcome.evaluation);
    // Not in the log, which was saved with the model.
    if (outcome.trained) {
      reports_.add_entry(
          results_entry(outcome.trained->steps, outcome.trained->epoch, outcome.evaluation));
    }
  }
  SpeedReport speed;
  if (outcome.trained) speed = measured_speed(*outcome.trained, outcome.evaluation);
  if (outcome.trained && !flags_.speed_report.empty()) save_speed(speed);
  finish_reports(outcome, std::move(speed));
  for (const NamedExamples& set : inputs_.data.predict) {
    predict_set(set, session_.encode(set.examples, inputs_.limits, compute_.pool()));
  }
  show_all();
  return outcome;
}

LoopResult TrainRun::train(const TokenDataset& dataset) {
  throw_if_interrupted("reading; nothing was written");
  TrainerOptions options = flags_.trainer;
  options.class_weights = inputs_.data.class_weights;
  Trainer trainer(session_.classifier(), dataset, options, compute_, job_.communicator());
  examples_of_update_ = trainer.examples_of_update();
  say_plan(trainer);
  check_space(trainer);
  trainer.allocate();
  reports_.begin(session_.config_text());
  TrainingProgress so_far = go_on(trainer);
  const auto resumed_at = resumed_ ? std::optional(resumed_->step) : std::nullopt;
  RunCheckpoints checkpoints(Checkpoints(place_.output, flags_.loop.save_total_limit, resumed_at),
                             session_, compute_);
  warn_of_earlier(checkpoints.written());
  LoopResult result = run_training(
      trainer, flags_.loop, log_,
      {.evaluate = [&] { return evaluate_all(); },
       .save = [&](const TrainingProgress& now) { save_checkpoint(trainer, now, checkpoints); },
       .check_saving = [&] { checkpoints.check(); },
       .judge_pace = [&](const SpeedRecord& speed) { judge_pace(speed); }},
      std::move(so_far));
  checkpoints.wait();
  if (result.interrupted) end_interrupted(trainer, result, checkpoints);
  trainer.check_weights();
  take_best(result, checkpoints.written());
  if (!job_.alone()) {
    check_same_weights(*job_.communicator(), job_.hosts(), session_.classifier().weights);
  }
  const Results results = train_results(dataset, result);
  log_.add_results(result.steps, result.epoch, results);
  epoch_ = result.epoch;
  save_model(trainer, result, results);
  checkpoints.finish(result.best_checkpoint);
  show_results("train", results);
  return result;
}

void TrainRun::warn_of_earlier(const Checkpoints& checkpoints) const {
  if (const std::vector<std::string> earlier = checkpoints.of_earlier_runs(); !earlier.empty()) {
    log_warning("{}: {} of an earlier run stay until they are replaced", place_.output.string(),
                fmt::join(earlier, ", "));
  }
}

// Where the earlier training was, its moments and its log; the weights are there already.
TrainingProgress TrainRun::go_on(Trainer& trainer) {
  if (!resumed_) return {};
  const SavedTraining& earlier = resumed_->training;
  const SavedTraining now = saved_training(trainer, earlier.progress);
  check_same_rows(*resumed_, now.data, flags_.resume);
  log_info("going on from {}, after {} of {} steps", resumed_->path.string(),
           earlier.progress.steps, trainer.total_steps());
  if (now.computed_by != earlier.computed_by) {
    log_info(
        "so far it was computed by {}, now by {}: the result is as good, but not bit for bit the "
        "same",
        earlier.computed_by.text(), now.computed_by.text());
  }
  read_moments(resumed_->path, session_.table(), trainer.moment1(), trainer.moment2());
  if (!job_.alone()) {
    broadcast_moments(*job_.communicator(), trainer.moment1(), trainer.moment2());
  }
  log_.restore(earlier.log);
  return earlier.progress;
}

void TrainRun::say_plan(const Trainer& trainer) const {
  const MemoryPlan& memory = trainer.memory();
  const std::int64_t available = available_memory_bytes() + resident_memory_bytes();
  log_info(
      "memory: {:.2f} GB planned ({:.2f} weights, gradients and moments, {:.2f} activations of "
      "the largest batch, {:.2f} data), {:.2f} GB available",
      gigabytes(memory.total()), gigabytes(memory.parameters), gigabytes(memory.activations),
      gigabytes(memory.dataset), gigabytes(available));
  check_memory(memory);
  log_info("training: {} updates of {} examples, {} an epoch", trainer.total_steps(),
           trainer.examples_of_update(), trainer.steps_per_epoch());
  if (!job_.alone() && flags_.trainer.global_batch_size == 0) {
    log_info(
        "the batch of all {} processes together is {} times that of one; --global-batch-size {} "
        "learns as one process does",
        job_.communicator()->size(), job_.communicator()->size(),
        flags_.trainer.examples_of_update(1));
  }
}

void TrainRun::check_space(const Trainer& trainer) const {
  const std::int64_t models =
      1 + checkpoints_at_once(flags_.loop, trainer.total_steps(), trainer.steps_per_epoch());
  volume_.check_space_for(session_.saved_bytes() + session_.checkpoint_bytes() * (models - 1));
}

// Each rank looks at itself; one speaks.
void TrainRun::judge_pace(const SpeedRecord& speed) const {
  const int ranks = job_.alone() ? 1 : job_.communicator()->size();
  for (const std::string& warning :
       pace_warnings(speed, flos_of(speed.tokens()) / ranks, session_.config(),
                     precision_of(session_.classifier().classifier), compute_)) {
    log_warning("{}", warning);
  }
}

std::string TrainRun::trainer_state(const Trainer& trainer, const TrainingProgress& so_far) const {
  return log_.trainer_state(
      flags_.trainer, flags_.loop, trainer,
      {.steps = so_far.steps,
       .tokens = so_far.tokens,
       .total_flos = flos_of(so_far.tokens),
       .best = so_far.best.evaluation,
       .best_checkpoint =
           so_far.best_checkpoint ? checkpoint_name(*so_far.best_checkpoint) : std::string()});
}

SavedTraining TrainRun::saved_training(const Trainer& trainer,
                                       const TrainingProgress& so_far) const {
  return {.progress = so_far,
          .computed_by = {.program = TANDEM_VERSION,
                          .kernels = compute_.kernels().name,
                          .precision = std::string(name_of(trainer.precision())),
                          .ranks = job_.alone() ? 1 : job_.communicator()->size()},
          .batch_size = trainer.examples_of_update(),
          .data = inputs_.training_hash,
          .log = log_.history()};
}

void TrainRun::save_checkpoint(const Trainer& trainer, const TrainingProgress& so_far,
                               RunCheckpoints& checkpoints) {
  // Half of its weights would be of no use, and the step after it may never come.
  trainer.check_weights();
  checkpoints.begin(so_far.steps, trainer.arrays(),
                    {.trainer_state = trainer_state(trainer, so_far),
                     .arguments = flags_json_,
                     .progress = training_progress_text(saved_training(trainer, so_far))},
                    so_far.best_checkpoint);
}

void TrainRun::end_interrupted(const Trainer& trainer, const LoopResult& result,
                               RunCheckpoints& checkpoints) {
  if (result.steps == 0) {
    if (!job_.alone()) wait_for_last_save(*job_.communicator());
    throw Error(ExitCode::kInterrupted, "interrupted before the first step; nothing was written");
  }
  TrainingProgress so_far = result;
  so_far.saved_before = true;
  const std::vector<std::int64_t>& steps = checkpoints.written().steps();
  if (steps.empty() || steps.back() != result.steps) {
    save_checkpoint(trainer, so_far, checkpoints);
    checkpoints.wait();
  }
  if (!job_.alone()) wait_for_last_save(*job_.communicator());
  throw Error(ExitCode::kInterrupted,
              fmt::format("interrupted after {} of {} steps; {} is saved: the same command goes on "
                          "from there",
                          result.steps, trainer.total_steps(),
                          checkpoints.written().path_of(result.steps).string()));
}

// Where the best isn't what there is: the peers get it from here.
void TrainRun::take_best(const LoopResult& result, const Checkpoints& checkpoints) {
  if (!flags_.loop.load_best_model_at_end) return;
  if (!result.best_checkpoint) {
    log_warning("--load-best-model-at-end: no evaluation had a usable {}; the last model is kept",
                flags_.loop.best_metric());
    return;
  }
  log_info("the best model is that of step {}, {} {:.4f}: it is kept", result.best.evaluation->step,
           flags_.loop.best_metric(), result.best.evaluation->value);
  if (*result.best_checkpoint == result.steps) return;
  session_.take_weights(checkpoints.path_of(*result.best_checkpoint), compute_);
  if (!job_.alone()) broadcast_weights(*job_.communicator(), session_.classifier().weights);
}

void TrainRun::save_model(const Trainer& trainer, const LoopResult& result,
                          const Results& results) {
  StagedFiles files(place_.output);
  session_.stage(files);
  files.add("trainer_state.json", trainer_state(trainer, result));
  files.add("training_args.json", flags_json_);
  stage_results(files, place_.output, "train", results);
  files.commit();
  log_info("saved {}; peak memory {:.2f} GB", place_.output.string(),
           gigabytes(peak_resident_memory_bytes()));
}

// Every rank takes part.
SpeedReport TrainRun::measured_speed(const LoopResult& result, const Results& evaluation) const {
  return {.ranks =
              gather_speeds(job_.communicator(), result.speed, host_name(), compute_.pool().size()),
          .steps = std::ssize(result.speed.steps()),
          .examples = result.speed.examples(),
          .tokens = result.speed.tokens(),
          .batch_size = examples_of_update_,
          .train_loss = result.all.mean(),
          .evaluation = evaluation};
}

void TrainRun::save_speed(const SpeedReport& report) const {
  const std::filesystem::path path = std::filesystem::absolute(flags_.speed_report);
  StagedFiles files(path.parent_path());
  files.add(path.filename().string(), speed_report_json(report));
  files.commit();
}

void TrainRun::finish_reports(const RunOutcome& outcome, SpeedReport speed) const {
  reports_.finish({.data = inputs_.data,
                   .evaluation_sets = inputs_.evaluation_sets,
                   .training_set = inputs_.training_set ? &*inputs_.training_set : nullptr,
                   .trained = outcome.trained ? &*outcome.trained : nullptr,
                   .log = log_,
                   .speed = std::move(speed),
                   .machine = machine_table(compute_, session_.classifier()),
                   .processes = job_.alone() ? 1 : job_.communicator()->size()});
}

// Forward and backward: six FLOPs a parameter and token, embeddings left out, as the reference.
double TrainRun::flos_of(std::int64_t tokens) const {
  double parameters = 0;
  for (const ParamInfo& param : session_.table().all()) {
    const bool embedding = param.name.starts_with("embeddings.");
    parameters += embedding ? 0 : static_cast<double>(param.slice.size());
  }
  return 6 * parameters * static_cast<double>(tokens);
}

Results TrainRun::train_results(const TokenDataset& dataset, const LoopResult& result) const {
  Results results = {{"epoch", result.epoch}, {"train_loss", result.all.mean()}};
  for (const auto& [name, value] :
       speed_results("train", result.seconds, result.examples, result.steps)) {
    results.emplace_back(name,
                         name == "train_samples" ? static_cast<double>(dataset.size()) : value);
  }
  results.emplace_back("total_flos", flos_of(result.tokens));
  return results;
}

Results TrainRun::evaluate_all() {
  Results all;
  for (std::size_t i = 0; i < inputs_.evaluation_sets.size(); ++i) {
    const TokenDataset& dataset = inputs_.evaluation_sets[i];
    Stopwatch watch;
    const Predictions predictions = answers_of(dataset);
    const double seconds = watch.lap();
    const Results results = evaluation_results({.predictions = predictions,
                                                .dataset = dataset,
                                                .problem = inputs_.data.labels.kind,
                                                .seconds = seconds,
                                                .batch_size = flags_.eval_batch_size,
                                                .suffix = inputs_.data.evaluate[i].suffix},
                                               inputs_.data.metrics);
    all.insert(all.end(), results.begin(), results.end());
    for (const std::string& warning :
         evaluation_warnings(predictions, dataset, inputs_.data.labels)) {
      log_warning("{}", warning);
    }
    reports_.set_answers(i, predictions, results);
  }
  if (epoch_) all.emplace_back("epoch", *epoch_);
  return all;
}

Predictions TrainRun::answers_of(const TokenDataset& dataset) {
  Progress progress("evaluating", dataset.sequences());
  return predict(
      session_.classifier(), dataset, flags_.eval_batch_size, compute_,
      [&](std::int64_t done) { progress.update(done); }, job_.communicator());
}

void TrainRun::predict_set(const NamedExamples& set, const TokenDataset& dataset) {
  Progress progress("predicting", dataset.sequences());
  const Predictions predictions =
      predict(session_.classifier(), dataset, flags_.eval_batch_size, compute_,
              [&](std::int64_t done) { progress.update(done); });
  const std::string task = inputs_.data.name.empty() ? "" : "_" + inputs_.data.name;
  const std::string file = fmt::format("predict_results{}{}.txt", task, set.suffix);
  StagedFiles files(place_.output);
  files.add(file, reference_predictions(predictions, inputs_.data.labels));
  files.commit();
  log_info("predictions: {}", (place_.output / file).string());
}

void TrainRun::save_results(const std::string& phase, const Results& results) {
  StagedFiles files(place_.output);
  stage_results(files, place_.output, phase, results);
  files.commit();
}

// As a block at once, or at the end as one object.
void TrainRun::show_results(const std::string& phase, const Results& results) {
  shown_.insert(shown_.end(), results.begin(), results.end());
  if (place_.prints_results && !flags_.json) fmt::print("{}\n", results_block(phase, results));
}

void TrainRun::show_all() const {
  if (place_.prints_results && flags_.json) fmt::print("{}\n", results_json(shown_));
}

}  // namespace tandem
