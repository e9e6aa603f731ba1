#pragma once
// From a table's rows to examples, for a person's own files and for GLUE's.

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>

#include "data/columns.h"
#include "data/example.h"
#include "data/table.h"
#include "data/task.h"

namespace tandem {

inline constexpr std::int64_t kAllExamples = std::numeric_limits<std::int64_t>::max();

struct LabelSource {
  // What the labels mean; without it they are not looked at, and every label is NaN.
  const LabelScheme* scheme = nullptr;
  std::string known_to =
      "training";  // whose labels they are, for messages: "train.tsv", "the model"
  // kIfPresent: a table without a label column, and a row whose label is empty, null or -1 (which
  // GLUE has for hidden labels; unless that is a label, or a value among others), give NaN.
  // kRequired: they are DataErrors.
  LabelNeed need = LabelNeed::kRequired;
  std::string separator = {};  // between the labels of a cell, where a row may have several
};

// The first `max_examples` rows in order. Numbers and booleans of JSON Lines are read as texts.
// Empty texts are kept and counted. Throws DataError, with the line, for a text that is null, a
// list or an object, and for an unknown label (see LabelMap).
ExampleSet read_examples(const Table& table, const ColumnChoice& columns, const LabelSource& labels,
                         std::int64_t max_examples = kAllExamples);

// One split of a GLUE task, found by task_file(), with labels as LabelSource: required in training
// and validation files, taken if present in test files. Throws DataError as the readers do, and
// when the file lacks the task's columns.
ExampleSet read_task_split(const Task& task, const TaskSplit& split,
                           const std::filesystem::path& data_directory,
                           std::int64_t max_examples = kAllExamples);

// "train.tsv: has 2489 rows, 2490 are published for this split of rte", or nothing when it has as
// many.
std::optional<std::string> size_note(const Task& task, const TaskSplit& split,
                                     const ExampleSet& examples);

}  // namespace tandem
