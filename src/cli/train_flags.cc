#include "cli/train_flags.h"

#include <algorithm>
#include <map>
#include <optional>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "cli/table_input.h"
#include "data/number.h"
#include "formats/json.h"

namespace tandem {
namespace {

// CLI11's own say the largest double with all of its digits.
CLI::Validator above_zero() {
  return CLI::Validator(
      [](const std::string& text) {
        const std::optional<double> number = parse_number(text);
        return number && *number > 0 ? "" : text + ": expected a number above 0";
      },
      "");
}

CLI::Validator at_least_zero() {
  return CLI::Validator(
      [](const std::string& text) {
        const std::optional<double> number = parse_number(text);
        return number && *number >= 0 ? "" : text + ": expected a number, 0 or above";
      },
      "");
}

void add_data_flags(CLI::App& command, DataFlags& data) {
  constexpr const char* kGroup = "Data";
  const auto option = [&](const char* names, auto& value, const char* help) {
    return command.add_option(names, value, help)->group(kGroup);
  };
  option("--task-name,--task", data.task_name,
         "a GLUE task: cola, mnli, mrpc, qnli, qqp, rte, sst2, stsb, wnli");
  option("--data-dir", data.data_dir, "folder with the task's TSV files")->option_text("DIR");
  command.add_option("rows", data.rows,
                     "own rows to learn from, when that is all there is to say: a tenth of them is "
                     "held out to evaluate on, and the model goes beside the file");
  option("--train-file", data.train_file,
         "own rows to learn from: .tsv, .csv, .json or .jsonl, each also as .gz, or - for standard "
         "input")
      ->option_text("FILE");
  option("--validation-file", data.validation_file, "own rows to evaluate on")->option_text("FILE");
  option("--validation-split", data.validation_split,
         "a share of the training rows to evaluate on instead: so much of each label")
      ->check(CLI::Range(0.0, 0.9))
      ->capture_default_str();
  option("--test-file", data.test_file, "own rows to predict")->option_text("FILE");
  add_format_flag(command, data.format)->group(kGroup);
  option("--class-weights", data.class_weights,
         "how much each class counts: balanced, or a table with the columns label and weight")
      ->option_text("balanced|FILE");
  option("--max-seq-length", data.max_seq_length, "tokens of a text or pair; longer ones are cut")
      ->check(CLI::Range(4, 1 << 20))
      ->capture_default_str();
  add_long_text_flag(command, data.long_text, kGroup);
  option("--max-train-samples", data.max_train_samples, "use the first rows only; -1 means all")
      ->capture_default_str();
  option("--max-eval-samples", data.max_eval_samples, "use the first rows only; -1 means all")
      ->capture_default_str();
  option("--max-predict-samples", data.max_predict_samples, "use the first rows only; -1 means all")
      ->capture_default_str();
  command
      .add_flag("--do-regression", data.do_regression,
                "the labels are values, even where they look like classes")
      ->group(kGroup);
  add_column_flags(command, data.columns);
}

void add_optimizer_flags(CLI::App& command, TrainerOptions& trainer) {
  constexpr const char* kGroup = "Training";
  const auto option = [&](const char* names, auto& value, const char* help) {
    return command.add_option(names, value, help)->capture_default_str()->group(kGroup);
  };
  const CLI::Range counts(std::int64_t{1}, std::int64_t{1} << 30);
  option("--per-device-train-batch-size,--batch-size", trainer.micro_batch_size,
         "examples at a time")
      ->check(counts);
  option("--gradient-accumulation-steps", trainer.gradient_accumulation_steps,
         "batches of an update")
      ->check(counts);
  option("--num-train-epochs,--epochs", trainer.num_train_epochs, "passes over the rows")
      ->check(above_zero());
  option("--max-steps", trainer.max_steps, "updates; overrides the epochs when positive");
  option("--learning-rate,--lr", trainer.learning_rate, "AdamW's, at its peak")
      ->check(at_least_zero());
  option("--warmup-steps", trainer.warmup_steps, "updates of linear warm-up")
      ->check(at_least_zero());
  option("--warmup-ratio", trainer.warmup_ratio, "the same as a share of all updates")
      ->check(CLI::Range(0.0, 1.0));
  option("--weight-decay", trainer.adamw.weight_decay, "not for biases and LayerNorm")
      ->check(at_least_zero());
  option("--adam-beta1", trainer.adamw.beta1, "AdamW's, below 1")->check(CLI::Range(0.0, 0.999999));
  option("--adam-beta2", trainer.adamw.beta2, "AdamW's, below 1")->check(CLI::Range(0.0, 0.999999));
  option("--adam-epsilon", trainer.adamw.epsilon, "AdamW's")->check(above_zero());
  option("--max-grad-norm", trainer.max_grad_norm, "clip to this global norm; 0 means never")
      ->check(at_least_zero());
  option("--label-smoothing-factor", trainer.label_smoothing,
         "share of each label that all labels get evenly")
      ->check(CLI::Range(0.0, 0.999999));
  option("--seed", trainer.seed, "of the order of rows, dropout and a new head");
  command
      .add_flag("--dataloader-drop-last", trainer.drop_last,
                "leave out an epoch's last, smaller batch")
      ->group(kGroup);
}

void add_cluster_flags(CLI::App& command, TrainerOptions& trainer) {
  constexpr const char* kGroup = "Several machines";
  command
      .add_option("--global-batch-size", trainer.global_batch_size,
                  "examples of an update over all processes; 0: per device times the processes")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 30))
      ->capture_default_str()
      ->group(kGroup);
  const std::map<std::string, WireType> wires = {{"bf16", WireType::kBf16},
                                                 {"fp32", WireType::kFp32}};
  command
      .add_option_function<std::string>(
          "--wire-dtype",
          [&trainer, wires](const std::string& name) { trainer.reducer.wire = wires.at(name); },
          "what gradients are sent as between processes: bf16 or fp32")
      ->check(CLI::IsMember({"bf16", "fp32"}))
      ->default_str("bf16")
      ->group(kGroup);
}

void add_loop_flags(CLI::App& command, TrainFlags& flags) {
  constexpr const char* kGroup = "Evaluation and logging";
  const std::map<std::string, IntervalStrategy> strategies = {{"no", IntervalStrategy::kNo},
                                                              {"steps", IntervalStrategy::kSteps},
                                                              {"epoch", IntervalStrategy::kEpoch}};
  command
      .add_option_function<std::string>(
          "--eval-strategy,--evaluation-strategy",
          [&loop = flags.loop, strategies](const std::string& name) {
            loop.eval_strategy = strategies.at(name);
          },
          "evaluate while training: no, steps or epoch")
      ->check(CLI::IsMember({"no", "steps", "epoch"}))
      ->default_str("no")
      ->group(kGroup);
  const auto option = [&](const char* names, auto& value, const char* help) {
    command.add_option(names, value, help)
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 30))
        ->capture_default_str()
        ->group(kGroup);
  };
  option("--eval-steps", flags.loop.eval_steps, "updates between two evaluations");
  option("--logging-steps", flags.loop.logging_steps, "updates of an entry in the log");
  option("--per-device-eval-batch-size", flags.eval_batch_size, "examples at a time");
  command
      .add_option("--speed-report", flags.speed_report,
                  "write what a step's time went into, for each process, as JSON")
      ->option_text("FILE")
      ->group(kGroup);
}

// What was given or the default, with its type: true, 32, "rows.tsv".
nlohmann::json value_of(const CLI::Option& option) {
  const bool is_flag = option.get_type_name().empty();
  if (is_flag) return option.count() > 0 && option.as<bool>();
  const std::string text = option.count() > 0 ? option.as<std::string>() : option.get_default_str();
  if (option.get_type_name().starts_with("TEXT") || text.empty()) return text;
  const nlohmann::json number = nlohmann::json::parse(text, nullptr, false);
  return number.is_number() ? number : nlohmann::json(text);
}

}  // namespace

void add_train_flags(CLI::App& command, TrainFlags& flags) {
  constexpr const char* kGroup = "Model and output";
  command
      .add_option("--model-name-or-path,--model", flags.model,
                  "directory of a BERT model in Hugging Face's layout")
      ->option_text("DIR")
      ->required()
      ->group(kGroup);
  command
      .add_option("--output-dir,--output", flags.output_dir,
                  "where the model and the results are written")
      ->option_text("DIR")
      ->group(kGroup);
  const auto flag = [&](const char* names, bool& value, const char* help) {
    command.add_flag(names, value, help)->group(kGroup);
  };
  flag("--overwrite-output-dir", flags.overwrite_output_dir, "replace files that are there");
  flag("--ignore-mismatched-sizes", flags.ignore_mismatched_sizes,
       "give a model with another number of labels a new head");
  flag("--do-train", flags.do_train, "learn; the default when no --do-... is given");
  flag("--do-eval", flags.do_eval, "evaluate at the end; the default with rows to evaluate");
  flag("--do-predict", flags.do_predict, "predict the test rows at the end");
  add_data_flags(command, flags.data);
  add_optimizer_flags(command, flags.trainer);
  add_loop_flags(command, flags);
  add_compute_flags(command, flags.compute);
  add_job_flags(command, flags.job);
  add_cluster_flags(command, flags.trainer);
}

void check_train_flags(const TrainFlags& flags) {
  if (flags.output_dir.empty() && (flags.data.rows.empty() || flags.data.rows == kStandardInput)) {
    throw UsageError("--output-dir DIR is needed: where the model and the results are written");
  }
  const bool evaluates = flags.loop.eval_strategy != IntervalStrategy::kNo;
  if (evaluates && !flags.data.has_evaluation()) {
    throw UsageError("--eval-strategy needs rows to evaluate on: give --validation-file");
  }
  if (!flags.speed_report.empty() && !flags.do_train && (flags.do_eval || flags.do_predict)) {
    throw UsageError("--speed-report is of training: give --do-train as well");
  }
  if (flags.trainer.max_steps == 0) {
    throw UsageError("--max-steps 0 trains nothing; leave it out to train whole epochs");
  }
}

void complete_train_flags(TrainFlags& flags) {
  DataFlags& data = flags.data;
  if (data.rows.empty()) return;
  if (!data.train_file.empty() || !data.task_name.empty()) {
    throw UsageError("{} and {} both name what to learn from; give one of them", data.rows,
                     data.task_name.empty() ? "--train-file" : "--task-name");
  }
  data.train_file = data.rows;
  constexpr double kUsualShare = 0.1;
  const bool trains = flags.do_train || (!flags.do_eval && !flags.do_predict);
  if (!data.has_evaluation() && trains) data.validation_split = kUsualShare;
}

std::string train_flags_json(const CLI::App& command, const TrainFlags& flags) {
  nlohmann::json values = nlohmann::json::object();
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_lnames().empty() || option->get_lnames().front() == "help") continue;
    std::string name = option->get_lnames().front();
    std::ranges::replace(name, '-', '_');
    values[name] = value_of(*option);
  }
  values["train_file"] = flags.data.train_file;
  values["validation_split"] = flags.data.validation_split;
  return python_json(values, {.indent = 2}) + "\n";
}

}  // namespace tandem
