// tandem train: learn, evaluate, predict and save, as run_glue.py does.
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/cpu.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/progress.h"
#include "cli/commands.h"
#include "cli/model_session.h"
#include "cli/output_directory.h"
#include "cli/predictions_text.h"
#include "cli/train_flags.h"
#include "train/evaluator.h"
#include "train/run_log.h"
#include "train/training_loop.h"

namespace tandem {
namespace {

DataNeeds needs_of(const TrainFlags& flags) {
  const bool nothing_said = !flags.do_train && !flags.do_eval && !flags.do_predict;
  const bool rows_to_evaluate =
      !flags.data.validation_file.empty() || !flags.data.task_name.empty();
  const bool while_training = flags.loop.eval_strategy != IntervalStrategy::kNo;
  return {.train = flags.do_train || nothing_said,
          .evaluate = flags.do_eval || while_training || (nothing_said && rows_to_evaluate),
          .predict = flags.do_predict};
}

double gigabytes(std::int64_t bytes) { return static_cast<double>(bytes) / 1e9; }

// Everything of one run, in the order in which it happens.
class TrainRun {
 public:
  TrainRun(const TrainFlags& flags, std::string flags_json)
      : flags_(flags),
        flags_json_(std::move(flags_json)),
        needs_(needs_of(flags)),
        output_(flags.output_dir, flags.overwrite_output_dir),
        compute_(make_compute(flags.compute)),
        data_(read_training_data(flags.data, needs_, labels_of_model(flags.model))),
        session_(flags.model, data_.labels,
                 {.outputs = data_.labels.outputs(),
                  .allow_new_head = needs_.train,
                  .ignore_mismatched_sizes = flags.ignore_mismatched_sizes,
                  .for_training = needs_.train,
                  .seed = flags.trainer.seed}) {}

  void run() {
    const std::int64_t max_tokens = session_.limit_tokens(flags_.data.max_seq_length);
    for (const NamedExamples& set : data_.evaluate) {
      evaluation_sets_.push_back(session_.encode(set.examples, max_tokens, compute_.pool()));
    }
    session_.prepare(flags_.compute.precision, compute_);
    if (needs_.train) {
      output_.check_space_for(session_.saved_bytes());
      train(session_.encode(*data_.train, max_tokens, compute_.pool()));
    }
    if (needs_.evaluate && (flags_.do_eval || !flags_.do_train)) {
      const Results results = evaluate_all();
      fmt::print("{}\n", results_block("eval", results));
      save_results("eval", results);
    }
    for (const NamedExamples& set : data_.predict) {
      predict_set(set, session_.encode(set.examples, max_tokens, compute_.pool()));
    }
  }

 private:
  static std::optional<LabelScheme> labels_of_model(const std::string& directory) {
    const HfConfig config = read_hf_config(std::filesystem::path(directory) / "config.json");
    if (config.labels.empty()) return std::nullopt;
    return label_scheme(config);
  }

  void train(const TokenDataset& dataset) {
    throw_if_interrupted("reading; nothing was written");
    Trainer trainer(session_.classifier(), dataset, flags_.trainer, compute_);
    say_plan(trainer);
    trainer.allocate();
    RunLog log;
    const LoopResult result =
        run_training(trainer, flags_.loop, log, [&] { return evaluate_all(); });
    trainer.check_weights();
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
  }

  void say_plan(const Trainer& trainer) const {
    const MemoryPlan& memory = trainer.memory();
    const std::int64_t available = available_memory_bytes() + resident_memory_bytes();
    log_info(
        "memory: {:.2f} GB planned ({:.2f} weights, gradients and moments, {:.2f} activations of "
        "the largest batch, {:.2f} data), {:.2f} GB available",
        gigabytes(memory.total()), gigabytes(memory.parameters), gigabytes(memory.activations),
        gigabytes(memory.dataset), gigabytes(available));
    if (available > 0 && memory.total() > available) {
      throw MachineError(
          "{:.2f} GB of memory are needed, {:.2f} are available; use a smaller "
          "--per-device-train-batch-size with --gradient-accumulation-steps, or a smaller "
          "--max-seq-length",
          gigabytes(memory.total()), gigabytes(available));
    }
    const std::int64_t update =
        flags_.trainer.micro_batch_size * flags_.trainer.gradient_accumulation_steps;
    log_info("training: {} updates of {} examples, {} an epoch", trainer.total_steps(), update,
             trainer.steps_per_epoch());
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
      const Predictions predictions = predict_with_progress("evaluating", dataset);
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

  Predictions predict_with_progress(const char* what, const TokenDataset& dataset) {
    Progress progress(what, dataset.size());
    return predict(session_.classifier(), dataset, flags_.eval_batch_size, compute_,
                   [&](std::int64_t done) { progress.update(done); });
  }

  void predict_set(const NamedExamples& set, const TokenDataset& dataset) {
    const Predictions predictions = predict_with_progress("predicting", dataset);
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
  OutputDirectory output_;
  Compute compute_;
  TrainingData data_;
  ModelSession session_;
  std::vector<TokenDataset> evaluation_sets_;
  std::optional<double> epoch_;
};

}  // namespace

void add_train_command(CLI::App& app) {
  CLI::App& command =
      *app.add_subcommand("train", "Fine-tune a model on labelled texts, evaluate it and save it.");
  const auto flags = std::make_shared<TrainFlags>();
  add_train_flags(command, *flags);
  command.callback([flags, &command] {
    check_train_flags(*flags);
    catch_interrupts(OnInterrupt::kEndInGoodOrder);
    TrainRun(*flags, train_flags_json(command)).run();
  });
}

}  // namespace tandem
