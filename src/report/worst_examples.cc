#include "report/worst_examples.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "report/html.h"

namespace tandem {
namespace {

constexpr std::size_t kShown = 20;
constexpr std::size_t kMostBytes = 300;  // of a text

bool is_regression(const AnsweredSet& set) { return set.labels.kind == ProblemKind::kRegression; }

std::size_t id_of(double label) { return static_cast<std::size_t>(label); }

std::string text_cell(const Example& example) {
  std::string text = html_shortened(example.text, kMostBytes);
  if (example.pair) {
    text += "<hr><span dir=\"auto\">" + html_shortened(*example.pair, kMostBytes) + "</span>";
  }
  return text;
}

}  // namespace

std::vector<std::size_t> worst_predicted(const AnsweredSet& set, std::size_t most) {
  std::vector<std::size_t> wrong;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (set.predicted[i] != set.actual[i]) wrong.push_back(i);
  }
  const auto badness = [&](std::size_t i) {
    return is_regression(set) ? std::abs(set.predicted[i] - set.actual[i])
                              : -set.answer(i, id_of(set.actual[i]));
  };
  std::ranges::stable_sort(wrong, std::greater(), badness);
  wrong.resize(std::min(wrong.size(), most));
  return wrong;
}

std::string worst_examples(const AnsweredSet& set) {
  const std::vector<std::size_t> worst = worst_predicted(set, kShown);
  std::string text = "<h3>Worst predictions</h3>\n";
  if (worst.empty()) return text + "<p>Every row was predicted right.</p>\n";
  HtmlTable table{.columns = {{"line"}, {"text", "text"}}};
  if (is_regression(set)) {
    for (const char* const heading : {"actual", "predicted", "difference"}) {
      table.columns.push_back({heading});
    }
  } else {
    table.columns.insert(
        table.columns.end(),
        {{"label", "name"}, {"its probability"}, {"predicted", "name"}, {"its probability"}});
  }
  for (const std::size_t i : worst) {
    const Example& example = set.examples[i];
    std::vector<std::string> row = {fmt::format("{}", example.line), text_cell(example)};
    const double actual = set.actual[i];
    const double predicted = set.predicted[i];
    if (is_regression(set)) {
      row.insert(row.end(), {html_number(actual, 3), html_number(predicted, 3),
                             html_number(predicted - actual, 3)});
    } else {
      for (const std::size_t id : {id_of(actual), id_of(predicted)}) {
        row.push_back(html_shortened(set.labels.names[id], 60));
        row.push_back(html_number(set.answer(i, id)));
      }
    }
    table.rows.push_back(std::move(row));
  }
  return text + table.html();
}

}  // namespace tandem
