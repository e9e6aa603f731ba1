#include "report/worst_examples.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "report/html.h"
#include "report/quality_parts.h"

namespace tandem {
namespace {

constexpr std::size_t kShown = 20;
constexpr std::size_t kMostBytes = 300;  // of a text

std::size_t id_of(double label) { return static_cast<std::size_t>(label); }

bool is_wrong(const AnsweredSet& set, std::size_t i) {
  if (!set.judged.several) return set.judged.predicted[i] != set.judged.actual[i];
  for (std::size_t k = i * set.outputs(); k < (i + 1) * set.outputs(); ++k) {
    if (set.judged.predicted[k] != set.judged.actual[k]) return true;
  }
  return false;
}

// How far off the answer is; with several labels at once the cross-entropy of all of them.
double badness(const AnsweredSet& set, std::size_t i) {
  switch (set.labels.kind) {
    case ProblemKind::kRegression:
      return std::abs(set.judged.predicted[i] - set.judged.actual[i]);
    case ProblemKind::kSingleLabel:
      return -set.answer(i, id_of(set.judged.actual[i]));
    case ProblemKind::kMultiLabel:
      break;
  }
  double sum = 0;
  for (std::size_t k = 0; k < set.outputs(); ++k) {
    const bool has = set.judged.actual[i * set.outputs() + k] == 1;
    sum -= std::log(has ? set.answer(i, k) : 1 - set.answer(i, k));
  }
  return sum;
}

// The labels that a row has by `has`, [N, K], each with its probability.
std::string labels_cell(const AnsweredSet& set, const std::vector<double>& has, std::size_t i) {
  std::string text;
  for (std::size_t k = 0; k < set.outputs(); ++k) {
    if (has[i * set.outputs() + k] != 1) continue;
    text += fmt::format("{}{} <span class=\"soft\">{}</span>", text.empty() ? "" : "<br>",
                        label_name(set, k), html_number(set.answer(i, k)));
  }
  return text.empty() ? "none" : text;
}

std::string text_cell(const Example& example) {
  std::string text = html_shortened(example.text, kMostBytes);
  if (example.pair) {
    text += "<hr><span dir=\"auto\">" + html_shortened(*example.pair, kMostBytes) + "</span>";
  }
  return text;
}

std::vector<HtmlTable::Column> answer_columns(ProblemKind kind) {
  switch (kind) {
    case ProblemKind::kRegression:
      return {{"actual"}, {"predicted"}, {"difference"}};
    case ProblemKind::kMultiLabel:
      return {{"labels", "name"}, {"predicted", "name"}};
    case ProblemKind::kSingleLabel:
      break;
  }
  return {{"label", "name"}, {"its probability"}, {"predicted", "name"}, {"its probability"}};
}

std::vector<std::string> answer_cells(const AnsweredSet& set, std::size_t i) {
  if (set.judged.several) {
    return {labels_cell(set, set.judged.actual, i), labels_cell(set, set.judged.predicted, i)};
  }
  const double actual = set.judged.actual[i];
  const double predicted = set.judged.predicted[i];
  if (set.labels.kind == ProblemKind::kRegression) {
    return {html_number(actual, 3), html_number(predicted, 3), html_number(predicted - actual, 3)};
  }
  return {label_name(set, id_of(actual)), html_number(set.answer(i, id_of(actual))),
          label_name(set, id_of(predicted)), html_number(set.answer(i, id_of(predicted)))};
}

}  // namespace

std::vector<std::size_t> worst_predicted(const AnsweredSet& set, std::size_t most) {
  std::vector<std::size_t> wrong;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (is_wrong(set, i)) wrong.push_back(i);
  }
  std::ranges::stable_sort(wrong, std::greater(), [&](std::size_t i) { return badness(set, i); });
  wrong.resize(std::min(wrong.size(), most));
  return wrong;
}

std::string worst_examples(const AnsweredSet& set) {
  const std::vector<std::size_t> worst = worst_predicted(set, kShown);
  std::string text = "<h3>Worst predictions</h3>\n";
  if (worst.empty()) return text + "<p>Every row was predicted right.</p>\n";
  HtmlTable table{.columns = {{"line"}, {"text", "text"}}};
  for (const HtmlTable::Column& column : answer_columns(set.labels.kind)) {
    table.columns.push_back(column);
  }
  for (const std::size_t i : worst) {
    const Example& example = set.examples[i];
    std::vector<std::string> row = {fmt::format("{}", example.line), text_cell(example)};
    for (std::string& cell : answer_cells(set, i)) row.push_back(std::move(cell));
    table.rows.push_back(std::move(row));
  }
  return text + table.html();
}

}  // namespace tandem
