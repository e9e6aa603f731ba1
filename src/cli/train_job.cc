#include "cli/train_job.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "formats/json.h"
#include "train/named_schedule.h"

namespace tandem {
namespace {

// Whether the output directory may have something in it.
bool may_write_into(const TrainFlags& flags) {
  return flags.overwrite_output_dir ||
         (flags.resume.from != "no" && holds_training(flags.output_dir));
}

ResumedAt resumed_at(const ResumePoint& point) {
  const TrainingProgress& progress = point.training.progress;
  return {.steps = progress.steps,
          .batch_size = point.training.batch_size,
          .best_checkpoint = progress.best_checkpoint.value_or(-1),
          .evaluations_without_a_better = progress.best.evaluations_without_a_better,
          .saved_before = progress.saved_before,
          .settled = progress.settled};
}

// Several trainings are compared by an evaluation of each.
bool is_series(const TrainFlags& flags) { return flags.seeds > 1 || !flags.autotune.empty(); }

DataNeeds needs_of(const TrainFlags& flags) {
  const bool nothing_said = !flags.do_train && !flags.do_eval && !flags.do_predict;
  const bool rows_to_evaluate = flags.data.has_evaluation();
  const bool while_training = flags.loop.eval_strategy != IntervalStrategy::kNo;
  return {.train = flags.do_train || nothing_said || is_series(flags),
          .evaluate = flags.do_eval || while_training || flags.data.validation_split > 0 ||
                      (nothing_said && rows_to_evaluate) || is_series(flags),
          .predict = flags.do_predict};
}

// A task whose folder isn't given may be in the hub's cache.
DataFlags with_fetched_task(const TrainFlags& flags) {
  DataFlags data = flags.data;
  if (data.task_name.empty() || !data.data_dir.empty()) return data;
  if (const auto folder = find_task_directory(find_task(data.task_name), flags.hub)) {
    data.data_dir = folder->string();
  }
  return data;
}

std::optional<LabelScheme> labels_of_model(const std::filesystem::path& directory) {
  const HfConfig config = read_hf_config(directory / "config.json");
  if (config.labels.empty()) return std::nullopt;
  return label_scheme(config);
}

// The name must be known before hours of training end at it.
void check_metric(const TrainFlags& flags, const TrainingData& data) {
  if (!flags.loop.follows_best() || data.evaluate.empty()) return;
  std::vector<std::string> names;
  for (const NamedExamples& set : data.evaluate) {
    const std::vector<std::string> of_set = evaluation_result_names(data.metrics, set.suffix);
    names.insert(names.end(), of_set.begin(), of_set.end());
  }
  check_best_metric(flags.loop, names);
}

}  // namespace

RunOrder order_of(const TrainFlags& flags) {
  return {.seed = flags.trainer.seed,
          .learning_rate = flags.trainer.learning_rate,
          .num_train_epochs = flags.trainer.num_train_epochs};
}

TrainFlags flags_for(TrainFlags flags, const RunOrder& order, std::int64_t ranks) {
  flags.trainer.schedule = named_schedule(flags.lr_scheduler_type, flags.lr_scheduler_kwargs);
  flags.trainer.seed = order.seed;
  flags.trainer.learning_rate = order.learning_rate;
  flags.trainer.num_train_epochs = order.num_train_epochs;
  if (order.batch_size > 0) {
    const std::int64_t parts = ranks * flags.trainer.gradient_accumulation_steps;
    flags.trainer.global_batch_size = order.batch_size;
    flags.trainer.micro_batch_size =
        std::max<std::int64_t>(1, (order.batch_size + parts - 1) / parts);
  }
  const ResumedAt& resumed = order.resumed;
  TrainerOptions& trainer = flags.trainer;
  if (resumed.steps > 0 && resumed.batch_size != trainer.examples_of_update(ranks)) {
    if (trainer.drop_last) {
      throw UsageError(
          "--dataloader-drop-last: the training had {} examples an update, which {} process{} "
          "cannot go on with as they would divide the rows otherwise; start as many as before",
          resumed.batch_size, ranks, ranks == 1 ? "" : "es");
    }
    // As many examples at a time as before, at most.
    const std::int64_t at_once = ranks * trainer.micro_batch_size;
    trainer.gradient_accumulation_steps = (resumed.batch_size + at_once - 1) / at_once;
    trainer.global_batch_size = resumed.batch_size;
  }
  return flags;
}

TrainJob::TrainJob(const TrainFlags& flags, std::string flags_json, const Job& job,
                   Compute& compute)
    : flags_(flags),
      flags_json_(std::move(flags_json)),
      job_(job),
      compute_(compute),
      output_(flags.output_dir, may_write_into(flags)),
      model_directory_(model_directory(flags.model, flags.hub)) {
  inputs_.needs = needs_of(flags);
  inputs_.data = read_training_data(with_fetched_task(flags), inputs_.needs,
                                    labels_of_model(model_directory_), flags.trainer.seed);
  if (flags.trainer.label_smoothing > 0 && inputs_.data.labels.kind != ProblemKind::kSingleLabel) {
    throw UsageError("--label-smoothing-factor is for classes, of which each row has one");
  }
  inputs_.evaluates_at_the_end =
      inputs_.needs.evaluate &&
      (flags.do_eval || !flags.do_train || flags.data.validation_split > 0 || is_series(flags));
  check_metric(flags, inputs_.data);
}

RunOutcome TrainJob::run(RunOrder order, const RunPlace& place) {
  const bool first = !session_.has_value();
  const std::string arguments = flags_json_for(order, place.output);
  const std::optional<ResumePoint> resumed = resume_point(arguments, place.output);
  load(order.seed);
  if (first) encode();
  if (resumed) {
    order.resumed = resumed_at(*resumed);
    session_->take_weights(resumed->path, compute_);
  }
  if (!job_.alone()) {
    if (first) share();
    broadcast_order(*job_.communicator(), order);
    broadcast_weights(*job_.communicator(), session_->classifier().weights);
  }
  TrainFlags flags = flags_for(flags_, order, job_.alone() ? 1 : job_.communicator()->size());
  flags.model = model_directory_.string();
  return TrainRun(flags, arguments, job_, compute_, inputs_, *session_, output_, place, resumed)
      .run();
}

// With --overwrite-output-dir an earlier training in the directory is started again, unless it is
// said that it is to be gone on with.
std::optional<ResumePoint> TrainJob::resume_point(const std::string& arguments,
                                                  const std::filesystem::path& output) const {
  if (!inputs_.needs.train) return std::nullopt;
  if (flags_.overwrite_output_dir && !flags_.resume.asked) return std::nullopt;
  return find_resume_point(output, flags_.resume, arguments);
}

void TrainJob::end() {
  if (job_.alone()) return;
  RunOrder none{.more = false};
  broadcast_order(*job_.communicator(), none);
}

LoopOptions TrainJob::comparison() const {
  LoopOptions options = flags_.loop;
  if (options.metric_for_best_model.empty()) {
    options.metric_for_best_model =
        inputs_.data.metrics.front() + inputs_.data.evaluate.front().suffix;
  }
  return options;
}

// The one before goes first: there may not be memory for two.
void TrainJob::load(std::uint64_t seed) {
  const bool first = !session_.has_value();
  session_.reset();
  const LoadOptions options{.outputs = inputs_.data.labels.outputs(),
                            .allow_new_head = inputs_.needs.train,
                            .ignore_mismatched_sizes = flags_.ignore_mismatched_sizes,
                            .for_training = inputs_.needs.train,
                            .seed = seed};
  session_.emplace(model_directory_, inputs_.data.labels, options,
                   first ? LoadReporting::kSaid : LoadReporting::kSilent);
  if (precision_) session_->prepare_for_training(*precision_, compute_);
}

void TrainJob::encode() {
  inputs_.limits = {session_->limit_tokens(flags_.data.max_seq_length), flags_.data.long_text};
  for (const NamedExamples& set : inputs_.data.evaluate) {
    inputs_.evaluation_sets.push_back(
        session_->encode(set.examples, inputs_.limits, compute_.pool()));
  }
  session_->prepare(flags_.compute.precision, compute_);
  precision_ = precision_of(session_->classifier().classifier);
  if (!inputs_.needs.train) return;
  output_.check_space_for(session_->saved_bytes());
  EncodingLimits of_training = inputs_.limits;
  if (of_training.long_text == LongText::kWindow) of_training.long_text = LongText::kHead;
  inputs_.training_set = session_->encode(*inputs_.data.train, of_training, compute_.pool());
  inputs_.training_hash = hash_of(*inputs_.training_set);
}

// What was read here is all that the other ranks need.
void TrainJob::share() {
  Communicator& communicator = *job_.communicator();
  RunOutline outline{.config = session_->config(),
                     .outputs = inputs_.data.labels.outputs(),
                     .problem = inputs_.data.labels.kind,
                     .precision = *precision_,
                     .evaluation_sets = std::ssize(inputs_.evaluation_sets),
                     .trains = inputs_.training_set.has_value(),
                     .evaluates_at_the_end = inputs_.evaluates_at_the_end};
  broadcast_outline(communicator, outline);
  for (TokenDataset& dataset : inputs_.evaluation_sets) broadcast_dataset(communicator, dataset);
  if (!inputs_.training_set) return;
  broadcast_dataset(communicator, *inputs_.training_set);
  broadcast_class_weights(communicator, inputs_.data.class_weights);
}

std::string TrainJob::flags_json_for(const RunOrder& order,
                                     const std::filesystem::path& output) const {
  nlohmann::json values = nlohmann::json::parse(flags_json_);
  values["seed"] = order.seed;
  values["learning_rate"] = order.learning_rate;
  values["num_train_epochs"] = order.num_train_epochs;
  if (order.batch_size > 0) values["global_batch_size"] = order.batch_size;
  values["output_dir"] = output.string();
  return python_json(values, {.indent = 2}) + "\n";
}

}  // namespace tandem
