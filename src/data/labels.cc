#include "data/labels.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/nearest.h"
#include "base/printable.h"
#include "data/label_lists.h"
#include "data/number.h"

namespace tandem {
namespace {

std::string_view label_cell(const Table& table, std::int64_t row, std::size_t column) {
  const CellKind kind = table.kind(row, column);
  const std::string_view cell = trimmed(table.cell(row, column));
  if (cell.empty()) {
    throw DataError("{}: the label in column {} is empty; give it one or remove the row",
                    table.where(row), in_quotes(table.columns()[column]));
  }
  if (kind == CellKind::kList || kind == CellKind::kObject) {
    throw DataError("{}: column {} holds {}; expected one label, a text or a number",
                    table.where(row), in_quotes(table.columns()[column]), in_quotes(cell));
  }
  return cell;
}

// What the cells of the column are, each with the first row that shows it.
struct ColumnSurvey {
  std::optional<std::int64_t> decimal, text;  // rows
  bool values_differ = false;
};

ColumnSurvey survey(const Table& table, std::size_t column) {
  ColumnSurvey survey;
  std::string_view first;
  for (std::int64_t row = 0; row < table.rows(); ++row) {
    const std::string_view cell = label_cell(table, row, column);
    if (row == 0) first = cell;
    survey.values_differ = survey.values_differ || cell != first;
    if (parse_whole_number(cell)) continue;
    if (!parse_number(cell)) {
      if (!survey.text) survey.text = row;
    } else if (!survey.decimal) {
      survey.decimal = row;
    }
  }
  return survey;
}

[[noreturn]] void throw_single_label(const Table& table, std::size_t column) {
  throw DataError(
      "{}: every row has the label {} in column {}; expected at least two different "
      "ones (--label-column names another column)",
      table.source(), in_quotes(trimmed(table.cell(0, column))),
      in_quotes(table.columns()[column]));
}

InferredLabels regression(const Table& table, std::size_t column, const ColumnSurvey& survey,
                          LabelReading reading) {
  if (survey.text) {
    const std::string why =
        reading == LabelReading::kRegression
            ? std::string("regression")
            : fmt::format("numbers (line {} has {})", table.line(*survey.decimal),
                          table.cell(*survey.decimal, column));
    throw DataError("{}: column {} is read as {}; expected a number, found {}",
                    table.where(*survey.text), in_quotes(table.columns()[column]), why,
                    in_quotes(table.cell(*survey.text, column)));
  }
  if (!survey.values_differ) throw_single_label(table, column);
  InferredLabels inferred{.scheme = {.kind = ProblemKind::kRegression, .names = {}}, .notes = {}};
  if (reading == LabelReading::kInfer) {
    inferred.notes.push_back(fmt::format(
        "line {} has the label {}, a number with decimals: this is taken for regression; if the "
        "labels are classes, write them as whole numbers or names",
        table.line(*survey.decimal), in_quotes(table.cell(*survey.decimal, column))));
  }
  return inferred;
}

// Distinct labels, gathered row by row.
class DistinctLabels {
 public:
  DistinctLabels(const Table& table, std::size_t column) : table_(table), column_(column) {}

  void add(std::string label, std::int64_t row) {
    labels_.insert(std::move(label));
    if (labels_.size() <= kMostLabels) return;
    throw DataError(
        "{}: column {} has more than {} different labels by this line; if they are numbers to "
        "predict use --do-regression, otherwise name the label column with --label-column",
        table_.where(row), in_quotes(table_.columns()[column_]), kMostLabels);
  }

  // Whole numbers written the short way and in their order, when there is nothing else.
  std::vector<std::string> in_order() const {
    const bool numbers = std::all_of(labels_.begin(), labels_.end(), [](const std::string& label) {
      return parse_whole_number(label).has_value();
    });
    if (!numbers) return {labels_.begin(), labels_.end()};
    std::set<std::int64_t> values;
    for (const std::string& label : labels_) values.insert(*parse_whole_number(label));
    std::vector<std::string> names;
    for (const std::int64_t value : values) names.push_back(std::to_string(value));
    return names;
  }

 private:
  const Table& table_;
  std::size_t column_;
  std::set<std::string> labels_;
};

InferredLabels infer_several_labels(const Table& table, std::size_t column,
                                    std::string_view separator) {
  DistinctLabels labels(table, column);
  for (std::int64_t row = 0; row < table.rows(); ++row) {
    for (std::string& label : labels_in_cell(table, row, column, separator)) {
      labels.add(std::move(label), row);
    }
  }
  InferredLabels inferred{.scheme = {.kind = ProblemKind::kMultiLabel, .names = labels.in_order()},
                          .notes = {}};
  if (inferred.scheme.names.size() < 2) {
    throw DataError(
        "{}: column {} has {} in all of its rows; several labels at once need at least two "
        "different ones",
        table.source(), in_quotes(table.columns()[column]),
        inferred.scheme.names.empty() ? "no label" : "only the label " + inferred.scheme.names[0]);
  }
  inferred.notes.push_back(
      separator.empty()
          ? "the labels are lists: a row may have several of them at once"
          : fmt::format("labels are separated by {}: a row may have several of them at once",
                        in_quotes(separator)));
  return inferred;
}

}  // namespace

InferredLabels infer_labels(const Table& table, std::size_t label_column, LabelReading reading,
                            std::string_view separator) {
  if (reading == LabelReading::kInfer && (!separator.empty() || has_lists(table, label_column))) {
    return infer_several_labels(table, label_column, separator);
  }
  const ColumnSurvey found = survey(table, label_column);
  if (reading == LabelReading::kRegression || found.decimal) {
    return regression(table, label_column, found, reading);
  }
  DistinctLabels labels(table, label_column);
  for (std::int64_t row = 0; row < table.rows(); ++row) {
    labels.add(std::string(trimmed(table.cell(row, label_column))), row);
  }
  InferredLabels inferred;
  inferred.scheme.names = labels.in_order();
  if (inferred.scheme.names.size() < 2) throw_single_label(table, label_column);
  return inferred;
}

LabelMap::LabelMap(const LabelScheme& scheme, std::string known_to)
    : scheme_(scheme), known_to_(std::move(known_to)), by_name_(scheme.names.size()) {
  std::iota(by_name_.begin(), by_name_.end(), std::size_t{0});
  std::stable_sort(by_name_.begin(), by_name_.end(), [&](std::size_t a, std::size_t b) {
    return scheme_.names[a] < scheme_.names[b];
  });
  whole_numbers_ = std::any_of(scheme_.names.begin(), scheme_.names.end(),
                               [](const std::string& name) { return parse_whole_number(name); });
}

std::optional<float> LabelMap::find(std::string_view label) const {
  label = trimmed(label);
  if (scheme_.kind == ProblemKind::kRegression) {
    const std::optional<double> number = parse_number(label);
    const float value = static_cast<float>(number.value_or(NAN));
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
  }
  const auto find_name = [&](std::string_view name) -> std::optional<float> {
    const auto at = std::lower_bound(
        by_name_.begin(), by_name_.end(), name,
        [&](std::size_t id, std::string_view wanted) { return scheme_.names[id] < wanted; });
    if (at == by_name_.end() || scheme_.names[*at] != name) return std::nullopt;
    return static_cast<float>(*at);
  };
  if (const std::optional<float> id = find_name(label)) return id;
  const std::optional<std::int64_t> number = parse_whole_number(label);
  if (!number) return std::nullopt;
  // With names such as 1 and 2 a 0 is unknown, and not the id of the first.
  if (whole_numbers_) return find_name(std::to_string(*number));
  if (*number < 0 || *number >= scheme_.outputs()) return std::nullopt;
  return static_cast<float>(*number);
}

float LabelMap::at(const Table& table, std::int64_t row, std::size_t column) const {
  const std::string_view cell = label_cell(table, row, column);
  if (const std::optional<float> value = find(cell)) return *value;
  if (scheme_.kind == ProblemKind::kRegression) {
    throw DataError("{}: column {}: expected a number, found {}", table.where(row),
                    in_quotes(table.columns()[column]), in_quotes(cell));
  }
  throw_unknown(table.where(row), cell);
}

std::vector<std::int32_t> LabelMap::all_at(const Table& table, std::int64_t row, std::size_t column,
                                           std::string_view separator) const {
  std::vector<std::int32_t> ids;
  for (const std::string& label : labels_in_cell(table, row, column, separator)) {
    const std::optional<float> id = find(label);
    if (!id) throw_unknown(table.where(row), label);
    ids.push_back(static_cast<std::int32_t>(*id));
  }
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

void LabelMap::throw_unknown(const std::string& where, std::string_view label) const {
  throw DataError("{}: the label {} is not one that {} knows: {}{}", where, in_quotes(label),
                  known_to_, list_in_quotes(scheme_.names), suggestion(label, scheme_.names));
}

std::vector<std::int64_t> count_labels(const ExampleSet& examples, const LabelScheme& scheme) {
  std::vector<std::int64_t> counts;
  if (scheme.kind == ProblemKind::kRegression) return counts;
  counts.resize(scheme.names.size());
  for (const Example& example : examples.examples) {
    if (std::isnan(example.label)) continue;
    if (scheme.kind == ProblemKind::kSingleLabel) ++counts[static_cast<std::size_t>(example.label)];
    for (const std::int32_t id : example.labels) ++counts[static_cast<std::size_t>(id)];
  }
  return counts;
}

std::string describe_labels(const ExampleSet& examples, const LabelScheme& scheme) {
  if (scheme.kind == ProblemKind::kRegression) {
    std::int64_t values = 0;
    float low = INFINITY, high = -INFINITY;
    for (const Example& example : examples.examples) {
      if (std::isnan(example.label)) continue;
      ++values;
      low = std::min(low, example.label);
      high = std::max(high, example.label);
    }
    if (values == 0) return "regression, no values";
    return fmt::format("regression, {} values from {} to {}", values, low, high);
  }
  constexpr std::size_t kMost = 20;
  const std::vector<std::int64_t> counts = count_labels(examples, scheme);
  const bool several = scheme.kind == ProblemKind::kMultiLabel;
  std::string out = fmt::format(
      "{}, {} labels: ", several ? "several labels at once" : "single label", counts.size());
  for (std::size_t id = 0; id < std::min(counts.size(), kMost); ++id) {
    fmt::format_to(std::back_inserter(out), "{}{} {}", id == 0 ? "" : ", ",
                   in_quotes(scheme.names[id]), counts[id]);
  }
  if (counts.size() > kMost) {
    fmt::format_to(std::back_inserter(out), " and {} more", counts.size() - kMost);
  }
  const auto without = std::ranges::count_if(examples.examples, [](const Example& example) {
    return !std::isnan(example.label) && example.labels.empty();
  });
  if (several && without > 0) {
    fmt::format_to(std::back_inserter(out), "; {} rows have none", without);
  }
  return out;
}

}  // namespace tandem
