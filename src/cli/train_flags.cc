#include "cli/train_flags.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "cli/loop_flags.h"
#include "cli/reference_flags.h"
#include "cli/table_input.h"
#include "formats/json.h"

namespace tandem {
namespace {

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

// What was given or the default, with its type: true, 32, "rows.tsv".
nlohmann::json value_of(const CLI::Option& option) {
  const bool is_flag = option.get_type_name().empty();
  if (is_flag) return option.count() > 0 && option.as<bool>();
  const std::string text = option.count() > 0 ? option.as<std::string>() : option.get_default_str();
  if (option.get_type_name().starts_with("TEXT")) return text;
  if (text.empty()) return nullptr;
  const nlohmann::json number = nlohmann::json::parse(text, nullptr, false);
  return number.is_number() ? number : nlohmann::json(text);
}

}  // namespace

void add_train_flags(CLI::App& command, TrainFlags& flags) {
  constexpr const char* kGroup = "Model and output";
  command
      .add_option("--model-name-or-path,--model", flags.model,
                  "directory of a BERT model in Hugging Face's layout, or its name on the hub (see "
                  "`tandem fetch`)")
      ->option_text("DIR")
      ->required()
      ->group(kGroup);
  add_hub_flags(command, flags.hub, kGroup);
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
  add_resume_flags(command, flags.resume, kGroup);
  command
      .add_flag_function(
          "--reference-flags",
          [](std::int64_t) {
            fmt::print("{}", reference_flags_text());
            throw CLI::Success();
          },
          "list the reference's flags that aren't options here, with what becomes of each, and end")
      ->group(kGroup);
  flag("--do-train", flags.do_train, "learn; the default when no --do-... is given");
  flag("--do-eval", flags.do_eval, "evaluate at the end; the default with rows to evaluate");
  flag("--do-predict", flags.do_predict, "predict the test rows at the end");
  add_data_flags(command, flags.data);
  add_optimizer_flags(command, flags);
  add_loop_flags(command, flags);
  add_report_flags(command, flags.reports);
  add_json_flag(command, flags.json);
  add_series_flags(command, flags);
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
  if (flags.json && (flags.seeds > 1 || !flags.autotune.empty())) {
    throw UsageError(
        "--json is of one training: those of --seeds and --autotune are in seeds.json and "
        "autotune.json of the output directory");
  }
  if (!flags.speed_report.empty() && !flags.do_train && (flags.do_eval || flags.do_predict)) {
    throw UsageError("--speed-report is of training: give --do-train as well");
  }
  check_loop_flags(flags);
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
    std::string name = option->get_lnames().empty() ? "help" : option->get_lnames().front();
    if (name == "help" || name == "reference-flags") continue;
    std::ranges::replace(name, '-', '_');
    values[name] = value_of(*option);
  }
  values["train_file"] = flags.data.train_file;
  values["validation_split"] = flags.data.validation_split;
  return python_json(values, {.indent = 2}) + "\n";
}

}  // namespace tandem
