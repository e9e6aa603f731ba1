#include "cli/training_data.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/ranges.h>

#include "base/log.h"
#include "base/printable.h"
#include "cli/table_input.h"
#include "data/class_weights.h"
#include "data/hold_out.h"
#include "data/labels.h"

namespace tandem {
namespace {

void say_notes(const std::string& source, const std::vector<std::string>& notes) {
  for (const std::string& note : notes) log_info("{}: {}", source, note);
}

Table read_own_table(const std::string& path, const std::string& format, const char* flag) {
  if (path.empty()) throw UsageError("{} FILE is needed (or --task-name with --data-dir)", flag);
  return read_rows(path, format);
}

// A person's own files. What the training file's columns are called holds for the others as well.
class OwnFiles {
 public:
  explicit OwnFiles(const DataFlags& flags) : flags_(flags), names_(column_names(flags.columns)) {}

  ExampleSet train(LabelScheme& labels) {
    const Table table = read_own_table(flags_.train_file, flags_.format, "--train-file");
    const ColumnChoice columns = choose_columns(table, names_, LabelNeed::kRequired);
    log_info("{}: {}", table.source(), describe_columns(table, columns));
    say_notes(table.source(), columns.notes);
    const LabelReading reading =
        flags_.do_regression ? LabelReading::kRegression : LabelReading::kInfer;
    const InferredLabels inferred =
        infer_labels(table, *columns.label, reading, flags_.columns.separator);
    say_notes(table.source(), inferred.notes);
    labels = inferred.scheme;
    names_ = names_of(table, columns);
    known_to_ = table.source();
    return read_examples(
        table, columns,
        {.scheme = &labels, .known_to = known_to_, .separator = flags_.columns.separator},
        sample_limit(flags_.max_train_samples));
  }

  ExampleSet other(const std::string& path, const char* flag, const LabelScheme& labels,
                   LabelNeed need, std::int64_t limit) const {
    const Table table = read_own_table(path, flags_.format, flag);
    const ColumnChoice columns = choose_columns(table, names_, need);
    say_notes(table.source(), columns.notes);
    const LabelScheme* const scheme = need == LabelNeed::kRequired ? &labels : nullptr;
    return read_examples(table, columns,
                         {.scheme = scheme,
                          .known_to = known_to_,
                          .need = need,
                          .separator = flags_.columns.separator},
                         sample_limit(limit));
  }

 private:
  const DataFlags& flags_;
  ColumnNames names_;
  std::string known_to_ = "the model";
};

// Divides the training rows.
void hold_out_rows(const DataFlags& flags, std::uint64_t seed, TrainingData& data) {
  HeldOutRows parts = hold_out(std::move(*data.train), data.labels, {flags.validation_split, seed});
  data.train = std::move(parts.training);
  std::vector<Example>& rows = parts.validation.examples;
  const auto limit = static_cast<std::size_t>(sample_limit(flags.max_eval_samples));
  if (rows.size() > limit)
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(limit), rows.end());
  log_info(
      "{}: {} rows are held out to evaluate on, {} are left to learn from (--validation-split "
      "{}, --seed {})",
      data.train->source, rows.size(), data.train->examples.size(), flags.validation_split, seed);
  parts.validation.source += " (held out)";
  data.evaluate.push_back({"", std::move(parts.validation)});
}

TrainingData read_own_files(const DataFlags& flags, const DataNeeds& needs,
                            const std::optional<LabelScheme>& model_labels, std::uint64_t seed) {
  OwnFiles files(flags);
  TrainingData data;
  if (needs.train) {
    data.train = files.train(data.labels);
  } else if (model_labels) {
    data.labels = *model_labels;
  } else {
    throw UsageError("the model has no labels yet: --do-train with --train-file gives it some");
  }
  data.metrics = default_metrics(data.labels);
  if (flags.validation_split > 0) {
    hold_out_rows(flags, seed, data);
  } else if (needs.evaluate) {
    data.evaluate.push_back(
        {"", files.other(flags.validation_file, "--validation-file", data.labels,
                         LabelNeed::kRequired, flags.max_eval_samples)});
  }
  if (needs.predict) {
    data.predict.push_back({"", files.other(flags.test_file, "--test-file", data.labels,
                                            LabelNeed::kIfPresent, flags.max_predict_samples)});
  }
  return data;
}

// A model that was trained elsewhere may have numbered the task's labels in another order.
void check_label_order(const Task& task, const LabelScheme& task_labels,
                       const std::optional<LabelScheme>& model_labels) {
  if (!model_labels || model_labels->names == task_labels.names) return;
  if (!std::ranges::is_permutation(model_labels->names, task_labels.names)) return;
  throw ModelError(
      "the model numbers {}'s labels {}, the task {}: its answers would be judged wrong; use "
      "`tandem evaluate --model DIR --task-name {} --data FILE`, which goes by their names",
      task.name, list_in_quotes(model_labels->names), list_in_quotes(task_labels.names), task.name);
}

TrainingData read_task(const DataFlags& flags, const DataNeeds& needs,
                       const std::optional<LabelScheme>& model_labels) {
  const Task& task = find_task(flags.task_name);
  if (flags.data_dir.empty()) {
    throw UsageError(
        "--task-name {} needs --data-dir, the folder with its TSV files, or `tandem fetch glue/{}`",
        flags.task_name, task.name);
  }
  TrainingData data;
  data.name = task.name;
  data.labels = label_scheme(task);
  if (!needs.train) check_label_order(task, data.labels, model_labels);
  data.metrics = task_metrics(task);
  const auto read = [&](const TaskSplit& split, std::int64_t limit) {
    ExampleSet set = read_task_split(task, split, flags.data_dir, sample_limit(limit));
    if (const std::optional<std::string> note = size_note(task, split, set)) log_info("{}", *note);
    return set;
  };
  for (const TaskSplit& split : task.used_splits()) {
    const std::string suffix(split.metric_suffix);
    if (split.role == SplitRole::kTrain && needs.train) {
      data.train = read(split, flags.max_train_samples);
    } else if (split.role == SplitRole::kValidation && needs.evaluate) {
      data.evaluate.push_back({suffix, read(split, flags.max_eval_samples)});
    } else if (split.role == SplitRole::kTest && needs.predict) {
      data.predict.push_back({suffix, read(split, flags.max_predict_samples)});
    }
  }
  return data;
}

void say_examples(const ExampleSet& set, const LabelScheme& labels) {
  log_info("{}: {}{}", set.source, describe_labels(set, labels),
           set.skipped_rows > 0 ? fmt::format("; {} broken rows left out", set.skipped_rows) : "");
}

std::vector<float> read_weights(const DataFlags& flags, const TrainingData& data) {
  if (flags.class_weights.empty()) return {};
  if (data.labels.kind != ProblemKind::kSingleLabel) {
    throw UsageError(
        "--class-weights are for classes, of which each row has one; here the labels "
        "are {}",
        data.labels.kind == ProblemKind::kRegression ? "values" : "several at once");
  }
  if (!data.train) throw UsageError("--class-weights are of training: give --do-train as well");
  std::vector<float> weights =
      flags.class_weights == "balanced"
          ? balanced_class_weights(*data.train, data.labels)
          : read_class_weights(read_table(flags.class_weights), data.labels);
  std::string shown;
  for (std::size_t id = 0; id < weights.size(); ++id) {
    shown += fmt::format("{}{} {:.4g}", id == 0 ? "" : ", ", in_quotes(data.labels.names[id]),
                         weights[id]);
  }
  log_info("class weights: {}", shown);
  return weights;
}

void check_data_flags(const DataFlags& flags, const DataNeeds& needs) {
  if (!flags.task_name.empty() && !flags.train_file.empty()) {
    throw UsageError("--task-name and --train-file exclude each other: GLUE's files or own ones");
  }
  if (flags.validation_split > 0) {
    if (!flags.validation_file.empty() || !flags.task_name.empty()) {
      throw UsageError(
          "--validation-split divides the rows of --train-file; {} has rows to "
          "evaluate on already",
          flags.task_name.empty() ? "--validation-file" : "the task");
    }
    if (!needs.train) {
      throw UsageError("--validation-split divides the training rows: give --do-train as well");
    }
  }
  const auto inputs = std::ranges::count(
      std::array{flags.train_file, flags.validation_file, flags.test_file}, kStandardInput);
  if (inputs > 1) throw UsageError("only one of the files can be standard input (-)");
}

}  // namespace

std::vector<std::string> default_metrics(const LabelScheme& labels) {
  if (labels.kind == ProblemKind::kMultiLabel) return {"f1_micro", "f1_macro"};
  if (labels.kind == ProblemKind::kRegression) return {"pearson", "spearmanr"};
  if (labels.names.size() == 2) return {"accuracy", "f1"};
  return {"accuracy"};
}

std::vector<std::string> task_metrics(const Task& task) {
  std::vector<std::string> names;
  for (const std::string_view metric : task.metrics) {
    if (!metric.empty()) names.emplace_back(metric);
  }
  return names;
}

std::int64_t sample_limit(std::int64_t flag) { return flag < 0 ? kAllExamples : flag; }

TrainingData read_training_data(const DataFlags& flags, const DataNeeds& needs,
                                const std::optional<LabelScheme>& model_labels,
                                std::uint64_t seed) {
  check_data_flags(flags, needs);
  TrainingData data = flags.task_name.empty() ? read_own_files(flags, needs, model_labels, seed)
                                              : read_task(flags, needs, model_labels);
  if (data.train) {
    say_examples(*data.train, data.labels);
    if (data.train->examples.empty())
      throw DataError("{}: has no rows to learn from", data.train->source);
  }
  for (const NamedExamples& set : data.evaluate) {
    if (set.examples.examples.empty())
      throw DataError("{}: has no rows to evaluate", set.examples.source);
    say_examples(set.examples, data.labels);
  }
  if (!data.evaluate.empty()) {
    log_info("judged by {}: {} decides which model is best", fmt::join(data.metrics, ", "),
             data.metrics.front());
  }
  data.class_weights = read_weights(flags, data);
  return data;
}

}  // namespace tandem
