#pragma once
// The nine GLUE tasks and their diagnostic set AX, as rows of one table: what their files are
// called, which columns they have, what the labels mean and how a result is judged.

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "data/columns.h"
#include "data/example.h"
#include "data/line_reader.h"
#include "data/table.h"
#include "data/tsv.h"

namespace tandem {

enum class SplitRole : std::uint8_t { kTrain, kValidation, kTest };

struct TaskSplit {
  SplitRole role = SplitRole::kTrain;
  std::string_view file = {};           // in GLUE's archives: "dev_mismatched.tsv"
  std::int64_t examples = 0;            // as published
  std::string_view metric_suffix = {};  // MNLI's second validation set: "_mm"
};

// Lists are fixed arrays of which the unused elements are empty.
struct Task {
  std::string_view name;    // as in --task-name: "sst2"
  std::string_view folder;  // in GLUE's archives: "SST-2"
  ProblemKind kind = ProblemKind::kSingleLabel;
  std::array<std::string_view, 3> labels = {};  // names by id, as in the hub's data set
  // The names a column may have: those of GLUE's files, of the hub's, of older copies.
  std::array<std::string_view, 2> text = {}, pair = {}, label = {};
  std::array<std::string_view, 5> names_without_header =
      {};  // columns of files without a header (CoLA)
  BrokenRows broken_rows = BrokenRows::kFail;
  // Keys of the metrics; the first is the one that decides which model is best. (GLUE's score for
  // a task with two is their mean.)
  std::array<std::string_view, 2> metrics = {};
  std::array<TaskSplit, 5> splits = {};

  std::span<const TaskSplit> used_splits() const;
  std::string_view main_metric() const { return metrics[0]; }
};

std::span<const Task> glue_tasks();

// By name, in any case, with or without GLUE's hyphens ("SST-2"). Throws UsageError that suggests
// the nearest name and lists all.
const Task& find_task(std::string_view name);

LabelScheme label_scheme(const Task& task);

// The split's file: in `data_directory` itself, or in a folder of it called as the task ("MRPC",
// "mrpc"), packed with gzip (.gz) or not; the hub's where there is none of GLUE's. Throws DataError
// that says where it was looked for.
std::filesystem::path task_file(const Task& task, const TaskSplit& split,
                                const std::filesystem::path& data_directory);

// The split's file in the hub's data set of GLUE, "mrpc/validation-00000-of-00001.parquet".
std::string hub_file(const Task& task, const TaskSplit& split);

// Reads a file of the task: Parquet by its extension, else as lines.
Table read_task_table(const Task& task, const std::filesystem::path& path);
// A line is a row, quotes are ordinary, broken rows as the task has it.
Table read_task_table(const Task& task, LineReader& lines);

// The task's columns, by the names in the header. Throws DataError when one isn't there.
ColumnChoice task_columns(const Task& task, const Table& table, LabelNeed need);

}  // namespace tandem
