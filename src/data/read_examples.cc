#include "data/read_examples.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/printable.h"
#include "data/labels.h"

namespace tandem {
namespace {

std::string text_of(const Table& table, std::int64_t row, std::size_t column) {
  const CellKind kind = table.kind(row, column);
  if (kind == CellKind::kNull || kind == CellKind::kList || kind == CellKind::kObject) {
    throw DataError("{}: column {}: expected a text, found {}", table.where(row),
                    in_quotes(table.columns()[column]),
                    kind == CellKind::kNull ? "null" : in_quotes(table.cell(row, column)));
  }
  return std::string(table.cell(row, column));
}

// Whether -1 stands for a hidden label, as GLUE has it. Among values it is one like any other,
// unless there is none but it.
bool minus_one_hides(const Table& table, std::size_t column, const LabelMap& map,
                     ProblemKind kind) {
  if (kind != ProblemKind::kRegression) return !map.find("-1");
  for (std::int64_t row = 0; row < table.rows(); ++row) {
    if (map.find(trimmed(table.cell(row, column))) != -1.0F) return false;
  }
  return true;
}

// Writes the labels of a row, unless none is needed and none is there.
void read_labels(const Table& table, std::int64_t row, std::size_t column, const LabelMap& map,
                 const LabelSource& source, bool may_be_hidden, Example& example) {
  const std::string_view cell = trimmed(table.cell(row, column));
  if (source.need == LabelNeed::kIfPresent && cell.empty()) return;
  if (may_be_hidden && (cell == "-1" || cell == "-1.0")) return;
  if (source.scheme->kind == ProblemKind::kMultiLabel) {
    example.label = 0;
    example.labels = map.all_at(table, row, column, source.separator);
  } else {
    example.label = map.at(table, row, column);
  }
}

}  // namespace

ExampleSet read_examples(const Table& table, const ColumnChoice& columns, const LabelSource& labels,
                         std::int64_t max_examples) {
  std::optional<LabelMap> map;
  if (labels.scheme != nullptr) {
    if (columns.label) {
      map.emplace(*labels.scheme, labels.known_to);
    } else if (labels.need == LabelNeed::kRequired) {
      throw DataError("{}: has no label column (columns: {})", table.source(),
                      list_in_quotes(table.columns()));
    }
  }
  ExampleSet set{.source = table.source(),
                 .examples = {},
                 .rows = table.rows(),
                 .skipped_rows = table.skipped_rows};
  if (map && labels.scheme->kind == ProblemKind::kMultiLabel) {
    set.label_columns = labels.scheme->outputs();
  }
  const bool may_be_hidden = map && labels.need == LabelNeed::kIfPresent &&
                             minus_one_hides(table, *columns.label, *map, labels.scheme->kind);
  const std::int64_t rows = std::clamp<std::int64_t>(max_examples, 0, table.rows());
  set.examples.reserve(static_cast<std::size_t>(rows));
  for (std::int64_t row = 0; row < rows; ++row) {
    Example example{.text = text_of(table, row, columns.text),
                    .pair = std::nullopt,
                    .label = NAN,
                    .line = table.line(row)};
    if (columns.pair) example.pair = text_of(table, row, *columns.pair);
    if (map) read_labels(table, row, *columns.label, *map, labels, may_be_hidden, example);
    if (example.text.empty() || (example.pair && example.pair->empty())) ++set.empty_texts;
    set.examples.push_back(std::move(example));
  }
  return set;
}

ExampleSet read_task_split(const Task& task, const TaskSplit& split,
                           const std::filesystem::path& data_directory, std::int64_t max_examples) {
  const Table table = read_task_table(task, task_file(task, split, data_directory));
  const LabelNeed need =
      split.role == SplitRole::kTest ? LabelNeed::kIfPresent : LabelNeed::kRequired;
  const LabelScheme scheme = label_scheme(task);
  const LabelSource labels{
      .scheme = &scheme, .known_to = fmt::format("task {}", task.name), .need = need};
  return read_examples(table, task_columns(task, table, need), labels, max_examples);
}

std::optional<std::string> size_note(const Task& task, const TaskSplit& split,
                                     const ExampleSet& examples) {
  if (examples.rows == split.examples) return std::nullopt;
  return fmt::format("{}: has {} rows, {} are published for this split of {}", examples.source,
                     examples.rows, split.examples, task.name);
}

}  // namespace tandem
