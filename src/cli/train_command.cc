// tandem train: learn, evaluate, predict and save, as run_glue.py does.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/cpu.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/progress.h"
#include "cli/commands.h"
#include "cli/model_session.h"
#include "cli/output_directory.h"
#include "cli/predictions_text.h"
#include "cli/published_results.h"
#include "cli/train_flags.h"
#include "cli/train_peer.h"
#include "comm/collectives.h"
#include "formats/json.h"
#include "train/agreement.h"
#include "train/evaluator.h"
#include "train/run_log.h"
#include "train/shared_inputs.h"
#include "train/speed_report.h"
#include "train/training_loop.h"

namespace tandem {
namespace {

DataNeeds needs_of(const TrainFlags& flags) {
  const bool nothing_said = !flags.do_train && !flags.do_eval && !flags.do_predict;
  const bool rows_to_evaluate = flags.data.has_evaluation();
  const bool while_training = flags.loop.eval_strategy != IntervalStrategy::kNo;
  return {.train = flags.do_train || nothing_said,
          .evaluate = flags.do_eval || while_training || flags.data.validation_split > 0 ||
                      (nothing_said && rows_to_evaluate),
          .predict = flags.do_predict};
}

double gigabytes(std::int64_t bytes) { return static_cast<double>(bytes) / 1e9; }

// Everything of one run, in the order in which it happens.
class TrainRun {
 public:
  TrainRun(const TrainFlags& flags, std::string flags_json, const Job& job, Compute& compute)
      : flags_(flags),
        flags_json_(std::move(flags_json)),
        needs_(needs_of(flags)),
        job_(job),
        output_(flags.output_dir, flags.overwrite_output_dir),
        compute_(compute),
        data_(read_training_data(flags.data, needs_, labels_of_model(flags.model),
                                 flags.trainer.seed)),
        session_(flags.model, data_.labels,
                 {.outputs = data_.labels.outputs(),
                  .allow_new_head = needs_.train,
                  .ignore_mismatched_sizes = flags.ignore_mismatched_sizes,
                  .for_training = needs_.train,
                  .seed = flags.trainer.seed}) {}

  void run() {
    if (flags_.trainer.label_smoothing > 0 && data_.labels.kind != ProblemKind::kSingleLabel) {
      throw UsageError("--label-smoothing-factor is for classes, of which each row has one");
    }
    const EncodingLimits limits{session_.limit_tokens(flags_.data.max_seq_length),
                                flags_.data.long_text};
    for (const NamedExamples& set : data_.evaluate) {
      evaluation_sets_.push_back(session_.encode(set.examples, limits, compute_.pool()));
    }
    session_.prepare(flags_.compute.precision, compute_);
    std::optional<TokenDataset> training_set;
    if (needs_.train) {
      output_.check_space_for(session_.saved_bytes());
      EncodingLimits of_training = limits;
      if (limits.long_text == LongText::kWindow) of_training.long_text = LongText::kHead;
      training_set = session_.encode(*data_.train, of_training, compute_.pool());
    }
    if (!job_.alone()) share_inputs(training_set);
    std::optional<LoopResult> trained;
    if (training_set) trained = train(*training_set);
    Results evaluation;
    if (evaluates_at_the_end()) {
      evaluation = evaluate_all();
      fmt::print("{}\n", results_block("eval", evaluation));
      if (!data_.name.empty()) say_published_results(find_task(data_.name), evaluation);
      save_results("eval", evaluation);
    }
    if (trained && !flags_.speed_report.empty()) save_speed(*trained, evaluation);
    for (const NamedExamples& set : data_.predict) {
      predict_set(set, session_.encode(set.examples, limits, compute_.pool()));
    }
  }

 private:
  bool evaluates_at_the_end() const {
    return needs_.evaluate &&
           (flags_.do_eval || !flags_.do_train || flags_.data.validation_split > 0);
  }

  // What was read here is all that the other ranks need.
  void share_inputs(std::optional<TokenDataset>& training_set) {
    Communicator& communicator = *job_.communicator();
    const ClassifierModel model = session_.classifier();
    RunOutline outline{.config = session_.config(),
                       .outputs = model.outputs,
                       .problem = model.problem,
                       .precision = precision_of(model.classifier),
                       .evaluation_sets = std::ssize(evaluation_sets_),
                       .trains = training_set.has_value(),
                       .evaluates_at_the_end = evaluates_at_the_end()};
    broadcast_outline(communicator, outline);
    broadcast_weights(communicator, model.weights);
    for (TokenDataset& dataset : evaluation_sets_) broadcast_dataset(communicator, dataset);
    if (training_set) {
      broadcast_dataset(communicator, *training_set);
      broadcast_class_weights(communicator, data_.class_weights);
    }
  }

  static std::optional<LabelScheme> labels_of_model(const std::string& directory) {
    const HfConfig config = read_hf_config(std::filesystem::path(directory) / "config.json");
    if (config.labels.empty()) return std::nullopt;
    return label_scheme(config);
  }

  LoopResult train(const TokenDataset& dataset) {
    throw_if_interrupted("reading; nothing was written");
    TrainerOptions options = flags_.trainer;
    options.class_weights = data_.class_weights;
    Trainer trainer(session_.classifier(), dataset, options, compute_, job_.communicator());
    examples_of_update_ = trainer.examples_of_update();
    say_plan(trainer);
    trainer.allocate();
    RunLog log;
    const LoopResult result =
        run_training(trainer, flags_.loop, log, [&] { return evaluate_all(); });
    trainer.check_weights();
    if (!job_.alone()) {
      check_same_weights(*job_.communicator(), job_.hosts(), session_.classifier().weights);
    }
    const Results results = train_results(dataset, result);
    log.add_results(result.steps, result.epoch, results);
    epoch_ = result.epoch;

    StagedFiles files(output_.path());
    session_.stage(files);
    files.add("trainer_state.json", log.trainer_state(flags_.trainer, trainer, result.steps));
    files.add("training_args.json", flags_json_);
    stage_results(files, output_.path(), "train", results);
    files.commit();
    log_info("saved {}; peak memory {:.2f} GB", output_.path().string(),
             gigabytes(peak_resident_memory_bytes()));
    fmt::print("{}\n", results_block("train", results));
    if (result.interrupted) {
      throw Error(ExitCode::kInterrupted,
                  fmt::format("interrupted after {} of {} steps; the model as it was then is in {}",
                              result.steps, trainer.total_steps(), output_.path().string()));
    }
    return result;
  }

  // Every rank takes part.
  void save_speed(const LoopResult& result, const Results& evaluation) {
    const SpeedReport report{.ranks = gather_speeds(job_.communicator(), result.speed, host_name(),
                                                    compute_.pool().size()),
                             .steps = std::ssize(result.speed.steps()),
                             .examples = result.speed.examples(),
                             .tokens = result.speed.tokens(),
                             .batch_size = examples_of_update_,
                             .train_loss = result.mean_loss,
                             .evaluation = evaluation};
    const std::filesystem::path path = std::filesystem::absolute(flags_.speed_report);
    StagedFiles files(path.parent_path());
    files.add(path.filename().string(), speed_report_json(report));
    files.commit();
  }

  void say_plan(const Trainer& trainer) const {
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

  Results train_results(const TokenDataset& dataset, const LoopResult& result) const {
    Results results = {{"epoch", result.epoch}, {"train_loss", result.mean_loss}};
    for (const auto& [name, value] :
         speed_results("train", result.seconds, result.examples, result.steps)) {
      results.emplace_back(name,
                           name == "train_samples" ? static_cast<double>(dataset.size()) : value);
    }
    // Forward and backward: six FLOPs a parameter and token, embeddings left out, as the reference.
    double parameters = 0;
    for (const ParamInfo& param : session_.table().all()) {
      const bool embedding = param.name.starts_with("embeddings.");
      parameters += embedding ? 0 : static_cast<double>(param.slice.size());
    }
    results.emplace_back("total_flos", 6 * parameters * static_cast<double>(result.tokens));
    return results;
  }

  Results evaluate_all() {
    Results all;
    for (std::size_t i = 0; i < evaluation_sets_.size(); ++i) {
      const TokenDataset& dataset = evaluation_sets_[i];
      const auto start = std::chrono::steady_clock::now();
      const Predictions predictions = answers_of(dataset);
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
      const Results results = evaluation_results({.predictions = predictions,
                                                  .dataset = dataset,
                                                  .problem = data_.labels.kind,
                                                  .seconds = elapsed.count(),
                                                  .batch_size = flags_.eval_batch_size,
                                                  .suffix = data_.evaluate[i].suffix},
                                                 data_.metrics);
      all.insert(all.end(), results.begin(), results.end());
    }
    if (epoch_) all.emplace_back("epoch", *epoch_);
    return all;
  }

  Predictions answers_of(const TokenDataset& dataset) {
    Progress progress("evaluating", dataset.sequences());
    return predict(
        session_.classifier(), dataset, flags_.eval_batch_size, compute_,
        [&](std::int64_t done) { progress.update(done); }, job_.communicator());
  }

  void predict_set(const NamedExamples& set, const TokenDataset& dataset) {
    Progress progress("predicting", dataset.sequences());
    const Predictions predictions =
        predict(session_.classifier(), dataset, flags_.eval_batch_size, compute_,
                [&](std::int64_t done) { progress.update(done); });
    const std::string task = data_.name.empty() ? "" : "_" + data_.name;
    const std::string file = fmt::format("predict_results{}{}.txt", task, set.suffix);
    StagedFiles files(output_.path());
    files.add(file, reference_predictions(predictions, data_.labels));
    files.commit();
    log_info("predictions: {}", (output_.path() / file).string());
  }

  void save_results(const std::string& phase, const Results& results) {
    StagedFiles files(output_.path());
    stage_results(files, output_.path(), phase, results);
    files.commit();
  }

  const TrainFlags& flags_;
  std::string flags_json_;
  DataNeeds needs_;
  const Job& job_;
  OutputDirectory output_;
  Compute& compute_;
  TrainingData data_;
  ModelSession session_;
  std::vector<TokenDataset> evaluation_sets_;
  std::optional<double> epoch_;
  std::int64_t examples_of_update_ = 0;
};

// Those of a model directory that decide what it computes.
std::vector<std::filesystem::path> model_files(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> files;
  for (const char* name : {"config.json", "model.safetensors", "model.safetensors.index.json",
                           "vocab.txt", "tokenizer.json"}) {
    files.push_back(directory / name);
  }
  return files;
}

// What must be alike wherever the job's processes run: their arguments too, and files that are
// here.
std::vector<Fact> facts_of(const TrainFlags& flags, const std::string& flags_json,
                           const Compute& compute) {
  std::vector<Fact> facts = {
      {"program", TANDEM_VERSION, "put the same version on every host"},
      {"kernels", compute.kernels().name,
       "name a set that every host has for all, e.g. --kernels avx2"},
      {"model", hash_of_files(model_files(flags.model)),
       "rank 0's is used: remove or replace the others"},
      {"data",
       hash_of_files({flags.data.train_file, flags.data.validation_file, flags.data.test_file}),
       "rank 0's is used: remove or replace the others"}};
  const auto arguments = nlohmann::json::parse(flags_json);
  for (const auto& [name, value] : arguments.items()) {
    std::string option = "--" + name;
    std::ranges::replace(option, '_', '-');
    facts.push_back({option, value.dump(), "start every process with the same arguments"});
  }
  return facts;
}

// Where nothing was said of the output, it is a new directory beside the rows.
void train_as_root(const TrainFlags& flags, const std::string& flags_json, const Job& job,
                   Compute& compute) {
  if (!flags.output_dir.empty()) {
    TrainRun(flags, flags_json, job, compute).run();
    return;
  }
  TrainFlags complete = flags;
  complete.output_dir = new_directory_beside(flags.data.train_file).string();
  log_info("the model goes to {} (--output-dir names another directory)", complete.output_dir);
  auto arguments = nlohmann::json::parse(flags_json);
  arguments["output_dir"] = complete.output_dir;
  TrainRun(complete, python_json(arguments, {.indent = 2}) + "\n", job, compute).run();
}

void train(const TrainFlags& flags, const std::string& flags_json) {
  const Job job(flags.job);
  job.run([&] {
    Compute compute = make_compute(flags.compute, job.take_cores());
    if (!job.alone()) {
      check_agreement(*job.communicator(), job.hosts(), facts_of(flags, flags_json, compute));
    }
    if (job.root()) {
      train_as_root(flags, flags_json, job, compute);
    } else {
      train_as_peer(flags, job, compute);
    }
    if (!job.alone()) barrier(*job.communicator(), "the end of the job", std::chrono::hours(1));
  });
}

}  // namespace

void add_train_command(CLI::App& app) {
  CLI::App& command =
      *app.add_subcommand("train", "Fine-tune a model on labelled texts, evaluate it and save it.");
  const auto flags = std::make_shared<TrainFlags>();
  add_train_flags(command, *flags);
  command.callback([flags, &command] {
    complete_train_flags(*flags);
    check_train_flags(*flags);
    catch_interrupts(OnInterrupt::kEndInGoodOrder);
    train(*flags, train_flags_json(command, *flags));
  });
}

}  // namespace tandem
