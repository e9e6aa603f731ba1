#include "cli/training_data.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/printable.h"
#include "data/labels.h"
#include "data/table_files.h"

namespace tandem {
namespace {

void say_notes(const std::string& source, const std::vector<std::string>& notes) {
  for (const std::string& note : notes) log_info("{}: {}", source, note);
}

Table read_own_table(const std::string& path, const char* flag) {
  if (path.empty()) throw UsageError("{} FILE is needed (or --task-name with --data-dir)", flag);
  return read_table(path);
}

// A person's own files. What the training file's columns are called holds for the others as well.
class OwnFiles {
 public:
  explicit OwnFiles(const DataFlags& flags) : flags_(flags), names_(column_names(flags.columns)) {}

  ExampleSet train(LabelScheme& labels) {
    const Table table = read_own_table(flags_.train_file, "--train-file");
    const ColumnChoice columns = choose_columns(table, names_, LabelNeed::kRequired);
    log_info("{}: {}", table.source(), describe_columns(table, columns));
    say_notes(table.source(), columns.notes);
    const LabelReading reading =
        flags_.do_regression ? LabelReading::kRegression : LabelReading::kInfer;
    const InferredLabels inferred = infer_labels(table, *columns.label, reading);
    say_notes(table.source(), inferred.notes);
    labels = inferred.scheme;
    names_ = names_of(table, columns);
    known_to_ = table.source();
    return read_examples(table, columns, {.scheme = &labels, .known_to = known_to_},
                         sample_limit(flags_.max_train_samples));
  }

  ExampleSet other(const std::string& path, const char* flag, const LabelScheme& labels,
                   LabelNeed need, std::int64_t limit) const {
    const Table table = read_own_table(path, flag);
    const ColumnChoice columns = choose_columns(table, names_, need);
    say_notes(table.source(), columns.notes);
    const LabelScheme* const scheme = need == LabelNeed::kRequired ? &labels : nullptr;
    return read_examples(table, columns, {.scheme = scheme, .known_to = known_to_, .need = need},
                         sample_limit(limit));
  }

 private:
  const DataFlags& flags_;
  ColumnNames names_;
  std::string known_to_ = "the model";
};

TrainingData read_own_files(const DataFlags& flags, const DataNeeds& needs,
                            const std::optional<LabelScheme>& model_labels) {
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
  if (needs.evaluate) {
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
  for (const TaskSplit& split : task.used_splits()) {
    const std::string suffix(split.metric_suffix);
    if (split.role == SplitRole::kTrain && needs.train) {
      data.train =
          read_task_split(task, split, flags.data_dir, sample_limit(flags.max_train_samples));
    } else if (split.role == SplitRole::kValidation && needs.evaluate) {
      data.evaluate.push_back({suffix, read_task_split(task, split, flags.data_dir,
                                                       sample_limit(flags.max_eval_samples))});
    } else if (split.role == SplitRole::kTest && needs.predict) {
      data.predict.push_back({suffix, read_task_split(task, split, flags.data_dir,
                                                      sample_limit(flags.max_predict_samples))});
    }
  }
  return data;
}

void say_examples(const ExampleSet& set, const LabelScheme& labels) {
  log_info("{}: {}{}", set.source, describe_labels(set, labels),
           set.skipped_rows > 0 ? fmt::format("; {} broken rows left out", set.skipped_rows) : "");
}

}  // namespace

std::vector<std::string> default_metrics(const LabelScheme& labels) {
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
                                const std::optional<LabelScheme>& model_labels) {
  if (!flags.task_name.empty() && !flags.train_file.empty()) {
    throw UsageError("--task-name and --train-file exclude each other: GLUE's files or own ones");
  }
  TrainingData data = flags.task_name.empty() ? read_own_files(flags, needs, model_labels)
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
  return data;
}

}  // namespace tandem
