#include "data/data_check.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/nearest.h"
#include "base/printable.h"
#include "data/label_lists.h"
#include "data/number.h"
#include "data/read_examples.h"
#include "data/repeated_rows.h"

namespace tandem {
namespace {

bool is_text(CellKind kind) {
  return kind != CellKind::kNull && kind != CellKind::kList && kind != CellKind::kObject;
}

// The rows of a table for which keep(row) holds.
template <class Keep>
Table rows_of(const Table& table, const Keep& keep) {
  Table kept(table.source(), table.columns(), 1);
  for (std::int64_t row = 0; row < table.rows(); ++row) {
    if (!keep(row)) continue;
    for (std::size_t column = 0; column < table.columns().size(); ++column) {
      kept.add_cell(table.cell(row, column), table.kind(row, column));
    }
    kept.end_row(table.line(row));
  }
  return kept;
}

// One table, from its columns to its examples.
class TableCheck {
 public:
  TableCheck(const Table& table, const DataCheckOptions& options)
      : table_(table), options_(options) {
    for (const TableFault& fault : table.faults) {
      findings_.push_back(refusal("row", table.source(), fault.message));
    }
  }

  // The table that training learns from. Nothing when its columns or labels can't be told.
  std::optional<LabelScheme> check_training(ColumnNames& names) {
    if (!choose(names)) return std::nullopt;
    names = names_of(table_, columns_);
    const Table usable = usable_rows();
    if (usable.rows() == 0) return std::nullopt;
    try {
      const InferredLabels inferred =
          infer_labels(usable, *columns_.label, options_.reading, options_.separator);
      for (const std::string& note : inferred.notes) fact(note);
      read(usable, inferred.scheme);
      warn_of_numbers(usable, inferred.scheme);
      warn_of_labels(inferred.scheme);
      return inferred.scheme;
    } catch (const DataError& error) {
      findings_.push_back(refusal("labels", table_.source(), error.what()));
      return std::nullopt;
    }
  }

  // Another split; without a scheme its labels are not looked at.
  void check_other(const ColumnNames& names, const std::optional<LabelScheme>& scheme,
                   const std::string& known_to) {
    if (!choose(names)) return;
    if (!scheme) return;
    const Table usable = known_rows(usable_rows(), *scheme, known_to);
    read(usable, *scheme);
    const std::vector<std::int64_t> counts = count_labels(examples_, *scheme);
    for (std::size_t id = 0; id < counts.size(); ++id) {
      if (counts[id] > 0) continue;
      add(FindingSeverity::kWarning, "absent-label",
          fmt::format("no row has the label {}, which {} has", in_quotes(scheme->names[id]),
                      known_to),
          {});
    }
  }

  void check_texts() {
    std::vector<std::int64_t> empty, cut;
    for (const Example& example : examples_.examples) {
      if (trimmed(example.text).empty() || (example.pair && trimmed(*example.pair).empty())) {
        empty.push_back(example.line);
      }
      if (options_.tokenizer == nullptr) continue;
      std::optional<std::string_view> pair;
      if (example.pair) pair = *example.pair;
      const bool longer =
          options_.tokenizer->encode(example.text, pair, options_.max_tokens).truncated;
      if (longer) cut.push_back(example.line);
    }
    warn_if_any("empty", "has an empty text", empty);
    warn_if_any("cut",
                fmt::format("is longer than {} tokens and would be cut; --max-seq-length allows "
                            "more, --long-text says what is read",
                            options_.max_tokens),
                cut);
  }

  const ExampleSet& examples() const { return examples_; }
  std::vector<DataFinding> take_findings() { return std::move(findings_); }
  std::vector<std::string> take_facts() { return std::move(facts_); }

 private:
  void add(FindingSeverity severity, std::string kind, std::string message,
           std::vector<std::int64_t> lines) {
    findings_.push_back({.severity = severity,
                         .kind = std::move(kind),
                         .source = table_.source(),
                         .message = std::move(message),
                         .lines = std::move(lines)});
  }
  void warn_if_any(const char* kind, std::string message, std::vector<std::int64_t> lines) {
    if (!lines.empty()) add(FindingSeverity::kWarning, kind, std::move(message), std::move(lines));
  }
  void fact(const std::string& text) {
    facts_.push_back(fmt::format("{}: {}", table_.source(), text));
  }

  bool choose(const ColumnNames& names) {
    try {
      columns_ = choose_columns(table_, names, LabelNeed::kRequired);
    } catch (const DataError& error) {
      findings_.push_back(refusal("columns", table_.source(), error.what()));
      return false;
    }
    fact(fmt::format("{} rows, {}", table_.rows(), describe_columns(table_, columns_)));
    for (const std::string& note : columns_.notes) fact(note);
    return true;
  }

  // Those whose texts and labels can be read at all; the others are errors.
  Table usable_rows() {
    const bool several = !options_.separator.empty() || has_lists(table_, *columns_.label);
    std::vector<std::int64_t> unlabelled;
    const auto usable = [&](std::int64_t row) {
      for (const std::optional<std::size_t>& column :
           {std::optional(columns_.text), columns_.pair}) {
        if (!column || is_text(table_.kind(row, *column))) continue;
        add(FindingSeverity::kError, "text",
            fmt::format("column {}: expected a text, found {}",
                        in_quotes(table_.columns()[*column]),
                        table_.kind(row, *column) == CellKind::kNull
                            ? "null"
                            : in_quotes(table_.cell(row, *column))),
            {table_.line(row)});
        return false;
      }
      return several ? has_readable_list(row) : has_label(row, unlabelled);
    };
    Table rows = rows_of(table_, usable);
    if (!unlabelled.empty()) {
      add(FindingSeverity::kError, "label",
          fmt::format("has no label in column {}; give it one or remove the row",
                      in_quotes(table_.columns()[*columns_.label])),
          unlabelled);
    }
    return several ? std::move(rows) : numbers_only(std::move(rows));
  }

  bool has_readable_list(std::int64_t row) {
    try {
      labels_in_cell(table_, row, *columns_.label, options_.separator);
      return true;
    } catch (const DataError& error) {
      findings_.push_back(refusal("label", table_.source(), error.what()));
      return false;
    }
  }

  bool has_label(std::int64_t row, std::vector<std::int64_t>& unlabelled) {
    if (trimmed(table_.cell(row, *columns_.label)).empty()) {
      unlabelled.push_back(table_.line(row));
      return false;
    }
    if (table_.kind(row, *columns_.label) != CellKind::kObject) return true;
    add(FindingSeverity::kError, "label", "the label is an object; expected a text or a number",
        {table_.line(row)});
    return false;
  }

  // Where any label is a number with decimals, all must be numbers; those that aren't are one
  // error.
  Table numbers_only(Table rows) {
    std::optional<std::int64_t> decimal;
    std::vector<std::int64_t> others;
    for (std::int64_t row = 0; row < rows.rows(); ++row) {
      const std::string_view cell = trimmed(rows.cell(row, *columns_.label));
      if (!parse_number(cell)) {
        others.push_back(rows.line(row));
      } else if (!decimal && !parse_whole_number(cell)) {
        decimal = rows.line(row);
      }
    }
    const bool values = decimal || options_.reading == LabelReading::kRegression;
    if (!values || others.empty()) return rows;
    add(FindingSeverity::kError, "label",
        fmt::format("has no number in column {}, which is read as {}",
                    in_quotes(table_.columns()[*columns_.label]),
                    decimal ? fmt::format("numbers (line {} has decimals)", *decimal)
                            : std::string("regression")),
        others);
    return rows_of(rows, [&](std::int64_t row) {
      return parse_number(trimmed(rows.cell(row, *columns_.label))).has_value();
    });
  }

  // Leaves out the rows with labels that training lacks: an error for each such label.
  Table known_rows(const Table& rows, const LabelScheme& scheme, const std::string& known_to) {
    if (scheme.kind == ProblemKind::kRegression)
      return rows_of(rows, [](std::int64_t) { return true; });
    const LabelMap map(scheme, known_to);
    std::map<std::string, std::vector<std::int64_t>> unknown;
    Table known = rows_of(rows, [&](std::int64_t row) {
      bool all_known = true;
      std::vector<std::string> labels;
      if (scheme.kind == ProblemKind::kMultiLabel) {
        labels = labels_in_cell(rows, row, *columns_.label, options_.separator);
      } else {
        labels.emplace_back(trimmed(rows.cell(row, *columns_.label)));
      }
      for (const std::string& label : labels) {
        if (map.find(label)) continue;
        unknown[label].push_back(rows.line(row));
        all_known = false;
      }
      return all_known;
    });
    for (auto& [label, lines] : unknown) {
      add(FindingSeverity::kError, "unknown-label",
          fmt::format("has the label {}, which {} lacks: {}{}", in_quotes(label), known_to,
                      list_in_quotes(scheme.names), suggestion(label, scheme.names)),
          std::move(lines));
    }
    return known;
  }

  void read(const Table& usable, const LabelScheme& scheme) {
    examples_ =
        read_examples(usable, columns_, {.scheme = &scheme, .separator = options_.separator});
    fact(describe_labels(examples_, scheme));
  }

  void warn_of_numbers(const Table& rows, const LabelScheme& scheme) {
    const auto all_numbers = [&](std::size_t column) {
      for (std::int64_t row = 0; row < rows.rows(); ++row) {
        if (!parse_number(trimmed(rows.cell(row, column)))) return false;
      }
      return true;
    };
    if (all_numbers(columns_.text)) {
      add(FindingSeverity::kWarning, "numbers",
          fmt::format("the texts in column {} are all numbers; --text-column names another",
                      in_quotes(table_.columns()[columns_.text])),
          {});
    }
    constexpr std::size_t kManyClasses = 10;
    const bool numbers = scheme.kind == ProblemKind::kSingleLabel && all_numbers(*columns_.label);
    if (numbers && scheme.names.size() > kManyClasses) {
      add(FindingSeverity::kWarning, "numbers",
          fmt::format("the labels are {} different whole numbers, taken for classes; "
                      "--do-regression takes them for values",
                      scheme.names.size()),
          {});
    }
    if (scheme.kind == ProblemKind::kRegression && options_.reading == LabelReading::kInfer) {
      add(FindingSeverity::kWarning, "numbers",
          "the labels are numbers with decimals, taken for values (regression); if they are "
          "classes, write them as whole numbers or names",
          {});
    }
  }

  void warn_of_labels(const LabelScheme& scheme) {
    std::map<std::string, std::string> spellings;
    for (const std::string& name : scheme.names) {
      const auto [at, added] = spellings.try_emplace(lower_case(name), name);
      if (added) continue;
      add(FindingSeverity::kWarning, "similar-labels",
          fmt::format("the labels {} and {} differ in upper and lower case alone",
                      in_quotes(at->second), in_quotes(name)),
          {});
    }
    const std::vector<std::int64_t> counts = count_labels(examples_, scheme);
    for (std::size_t id = 0; id < counts.size(); ++id) {
      if (counts[id] != 1) continue;
      const auto only = std::ranges::find_if(examples_.examples, [&](const Example& example) {
        return scheme.kind == ProblemKind::kSingleLabel
                   ? example.label == static_cast<float>(id)
                   : std::ranges::find(example.labels, static_cast<std::int32_t>(id)) !=
                         example.labels.end();
      });
      add(FindingSeverity::kWarning, "rare-label",
          fmt::format("is the only row with the label {}", in_quotes(scheme.names[id])),
          {only->line});
    }
  }

  const Table& table_;
  const DataCheckOptions& options_;
  ColumnChoice columns_;
  ExampleSet examples_;
  std::vector<DataFinding> findings_;
  std::vector<std::string> facts_;
};

}  // namespace

DataCheck check_data(std::span<const Table> tables, const DataCheckOptions& options) {
  DataCheck check;
  ColumnNames names = options.columns;
  std::optional<LabelScheme> scheme;
  std::vector<ExampleSet> sets;
  std::vector<std::vector<DataFinding>> findings;
  for (const Table& table : tables) {
    TableCheck one(table, options);
    if (sets.empty()) {
      scheme = one.check_training(names);
    } else {
      one.check_other(names, scheme, tables.front().source());
    }
    one.check_texts();
    sets.push_back(one.examples());
    sets.back().source = table.source();
    findings.push_back(one.take_findings());
    for (std::string& fact : one.take_facts()) check.facts.push_back(std::move(fact));
  }
  const std::vector<DataFinding> repeated = find_repeated_rows(sets);
  for (std::size_t s = 0; s < sets.size(); ++s) {
    std::vector<DataFinding>& of_table = findings[s];
    std::ranges::copy_if(repeated, std::back_inserter(of_table), [&](const DataFinding& finding) {
      return finding.source == sets[s].source;
    });
    std::ranges::stable_sort(of_table, {}, &DataFinding::severity);
    std::ranges::move(of_table, std::back_inserter(check.findings));
  }
  return check;
}

}  // namespace tandem
