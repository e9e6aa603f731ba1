#include "data/task.h"

#include <algorithm>
#include <optional>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/nearest.h"
#include "base/printable.h"
#include "data/parquet_table.h"

namespace tandem {
namespace {

using enum SplitRole;

// Labels and columns after datasets' loader for GLUE (datasets/glue/glue.py), sizes as published.
constexpr std::array<Task, 10> kTasks = {{
    {.name = "cola",
     .folder = "CoLA",
     .labels = {"unacceptable", "acceptable"},
     .text = {"sentence"},
     .label = {"label"},
     .names_without_header = {"source", "label", "annotation", "sentence"},
     .metrics = {"matthews_correlation"},
     .splits = {{{kTrain, "train.tsv", 8551},
                 {kValidation, "dev.tsv", 1043},
                 {kTest, "test.tsv", 1063}}}},
    {.name = "sst2",
     .folder = "SST-2",
     .labels = {"negative", "positive"},
     .text = {"sentence"},
     .label = {"label"},
     .metrics = {"accuracy"},
     .splits = {{{kTrain, "train.tsv", 67349},
                 {kValidation, "dev.tsv", 872},
                 {kTest, "test.tsv", 1821}}}},
    {.name = "mrpc",
     .folder = "MRPC",
     .labels = {"not_equivalent", "equivalent"},
     .text = {"#1 String", "sentence1"},
     .pair = {"#2 String", "sentence2"},
     .label = {"Quality", "label"},
     .metrics = {"f1", "accuracy"},
     .splits =
         {{{kTrain, "train.tsv", 3668}, {kValidation, "dev.tsv", 408}, {kTest, "test.tsv", 1725}}}},
    {.name = "stsb",
     .folder = "STS-B",
     .kind = ProblemKind::kRegression,
     .text = {"sentence1"},
     .pair = {"sentence2"},
     .label = {"score", "label"},
     .metrics = {"pearson", "spearmanr"},
     .splits = {{{kTrain, "train.tsv", 5749},
                 {kValidation, "dev.tsv", 1500},
                 {kTest, "test.tsv", 1379}}}},
    // Some questions hold line ends, which break their rows in two; both readers of transformers
    // leave the pieces out, and the published sizes are without them.
    {.name = "qqp",
     .folder = "QQP",
     .labels = {"not_duplicate", "duplicate"},
     .text = {"question1"},
     .pair = {"question2"},
     .label = {"is_duplicate", "label"},
     .broken_rows = BrokenRows::kSkip,
     .metrics = {"f1", "accuracy"},
     .splits = {{{kTrain, "train.tsv", 363846},
                 {kValidation, "dev.tsv", 40430},
                 {kTest, "test.tsv", 390965}}}},
    // label1 to label5 are single annotators' (dev has more of them than train).
    {.name = "mnli",
     .folder = "MNLI",
     .labels = {"entailment", "neutral", "contradiction"},
     .text = {"sentence1", "premise"},
     .pair = {"sentence2", "hypothesis"},
     .label = {"gold_label", "label"},
     .metrics = {"accuracy"},
     .splits = {{{kTrain, "train.tsv", 392702},
                 {kValidation, "dev_matched.tsv", 9815},
                 {kValidation, "dev_mismatched.tsv", 9832, "_mm"},
                 {kTest, "test_matched.tsv", 9796},
                 {kTest, "test_mismatched.tsv", 9847, "_mm"}}}},
    {.name = "qnli",
     .folder = "QNLI",
     .labels = {"entailment", "not_entailment"},
     .text = {"question"},
     .pair = {"sentence"},
     .label = {"label"},
     .metrics = {"accuracy"},
     .splits = {{{kTrain, "train.tsv", 104743},
                 {kValidation, "dev.tsv", 5463},
                 {kTest, "test.tsv", 5463}}}},
    {.name = "rte",
     .folder = "RTE",
     .labels = {"entailment", "not_entailment"},
     .text = {"sentence1"},
     .pair = {"sentence2"},
     .label = {"label"},
     .metrics = {"accuracy"},
     .splits =
         {{{kTrain, "train.tsv", 2490}, {kValidation, "dev.tsv", 277}, {kTest, "test.tsv", 3000}}}},
    {.name = "wnli",
     .folder = "WNLI",
     .labels = {"not_entailment", "entailment"},
     .text = {"sentence1"},
     .pair = {"sentence2"},
     .label = {"label"},
     .metrics = {"accuracy"},
     .splits =
         {{{kTrain, "train.tsv", 635}, {kValidation, "dev.tsv", 71}, {kTest, "test.tsv", 146}}}},
    // For models of MNLI; judged by GLUE's server alone.
    {.name = "ax",
     .folder = "AX",
     .labels = {"entailment", "neutral", "contradiction"},
     .text = {"sentence1", "premise"},
     .pair = {"sentence2", "hypothesis"},
     .label = {"label"},
     .metrics = {"matthews_correlation"},
     .splits = {{{kTest, "AX.tsv", 1104}}}},
}};

// The elements of a fixed list that are in use.
template <std::size_t kSize>
std::vector<std::string> used(const std::array<std::string_view, kSize>& list) {
  std::vector<std::string> names;
  for (const std::string_view name : list) {
    if (!name.empty()) names.emplace_back(name);
  }
  return names;
}

std::optional<std::size_t> find_column(const Table& table, std::span<const std::string> names) {
  for (const std::string& name : names) {
    if (const std::optional<std::size_t> found = table.find(name)) return found;
  }
  return std::nullopt;
}

std::size_t require_column(const Task& task, const Table& table,
                           const std::vector<std::string>& names) {
  if (const std::optional<std::size_t> found = find_column(table, names)) return *found;
  throw DataError("{}: task {} needs a column {}{}; the header has {}", table.source(), task.name,
                  in_quotes(names[0]),
                  names.size() > 1 ? " or " + in_quotes(names[1]) : std::string(),
                  list_in_quotes(table.columns()));
}

}  // namespace

std::span<const TaskSplit> Task::used_splits() const {
  const auto end = std::find_if(splits.begin(), splits.end(),
                                [](const TaskSplit& split) { return split.file.empty(); });
  return {splits.begin(), end};
}

std::span<const Task> glue_tasks() { return kTasks; }

const Task& find_task(std::string_view name) {
  std::string plain = lower_case(name);
  std::erase(plain, '-');
  std::vector<std::string> names;
  for (const Task& task : kTasks) {
    if (task.name == plain) return task;
    names.emplace_back(task.name);
  }
  throw UsageError("there is no task {} (tasks: {}; for a table of your own use --train-file){}",
                   in_quotes(name), list_in_quotes(names), suggestion(plain, names));
}

LabelScheme label_scheme(const Task& task) {
  return {.kind = task.kind, .names = used(task.labels)};
}

std::filesystem::path task_file(const Task& task, const TaskSplit& split,
                                const std::filesystem::path& data_directory) {
  std::vector<std::string> tried;
  for (const std::string_view folder : {std::string_view(), task.folder, task.name}) {
    // An empty path would add a separator.
    std::filesystem::path path = data_directory;
    if (!folder.empty()) path /= folder;
    path /= split.file;
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) return path;
    tried.push_back(path.string());
    path += ".gz";
    if (std::filesystem::exists(path, ignored)) return path;
  }
  std::error_code ignored;
  if (const auto path = data_directory / hub_file(task, split);
      std::filesystem::exists(path, ignored)) {
    return path;
  }
  throw DataError("task {}: there is no {} (looked for {}); name its folder with --data-dir",
                  task.name, split.file, list_in_quotes(tried));
}

std::string hub_file(const Task& task, const TaskSplit& split) {
  std::string name(split.file.substr(0, split.file.find('.')));
  if (name.starts_with("dev")) name.replace(0, 3, "validation");
  if (name == "AX") name = "test";
  return fmt::format("{}/{}-00000-of-00001.parquet", task.name, name);
}

Table read_task_table(const Task& task, const std::filesystem::path& path) {
  if (path.extension() == ".parquet") return read_parquet_table(path);
  LineReader lines(path);
  return read_task_table(task, lines);
}

Table read_task_table(const Task& task, LineReader& lines) {
  return read_tsv(lines, {.names_without_header = used(task.names_without_header),
                          .broken_rows = task.broken_rows});
}

ColumnChoice task_columns(const Task& task, const Table& table, LabelNeed need) {
  ColumnChoice choice;
  choice.text = require_column(task, table, used(task.text));
  if (const std::vector<std::string> pair = used(task.pair); !pair.empty()) {
    choice.pair = require_column(task, table, pair);
  }
  const std::vector<std::string> label = used(task.label);
  choice.label = find_column(table, label);
  if (!choice.label && need == LabelNeed::kRequired) require_column(task, table, label);
  return choice;
}

}  // namespace tandem
