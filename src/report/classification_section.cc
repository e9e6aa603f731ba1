#include "report/classification_section.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "report/chart.h"
#include "report/classifier_quality.h"
#include "report/html.h"
#include "report/quality_parts.h"

namespace tandem {
namespace {

constexpr std::size_t kPairsShown = 30;
constexpr std::size_t kPointsOfCurve = 400;

// Each cell is coloured by its share of the row, the examples that are of that class.
std::string matrix_table(const AnsweredSet& set, const ConfusionMatrix& matrix) {
  constexpr double kStrongest = 0.55;  // the text must stay readable on it, light and dark
  std::string text = "<div class=\"wide\"><table>\n<tr><th class=\"name\">actual \\ predicted</th>";
  for (std::size_t k = 0; k < matrix.classes(); ++k) text += "<th>" + label_name(set, k) + "</th>";
  text += "</tr>\n";
  for (std::size_t actual = 0; actual < matrix.classes(); ++actual) {
    const auto examples = static_cast<double>(std::max<std::int64_t>(1, matrix.actual(actual)));
    text += "<tr><th class=\"name\">" + label_name(set, actual) + "</th>";
    for (std::size_t predicted = 0; predicted < matrix.classes(); ++predicted) {
      const double share = static_cast<double>(matrix.at(actual, predicted)) / examples;
      text += fmt::format(
          "<td{} style=\"background:rgba(47,111,179,{:.2f})\">{} <span class=\"soft\">{:.1f}%"
          "</span></td>",
          actual == predicted ? " class=\"right\"" : "", kStrongest * share,
          matrix.at(actual, predicted), 100 * share);
    }
    text += "</tr>\n";
  }
  return text + "</table></div>\n";
}

std::string confused_pairs(const AnsweredSet& set, const ConfusionMatrix& matrix) {
  struct Pair {
    std::size_t actual, predicted;
    std::int64_t examples;
  };
  std::vector<Pair> pairs;
  for (std::size_t a = 0; a < matrix.classes(); ++a) {
    for (std::size_t p = 0; p < matrix.classes(); ++p) {
      if (a != p && matrix.at(a, p) > 0) pairs.push_back({a, p, matrix.at(a, p)});
    }
  }
  std::ranges::stable_sort(pairs, std::greater(), &Pair::examples);
  pairs.resize(std::min(pairs.size(), kPairsShown));
  HtmlTable table{
      .columns = {{"label", "name"}, {"predicted as", "name"}, {"rows"}, {"of the label's"}}};
  for (const Pair& pair : pairs) {
    const double share =
        static_cast<double>(pair.examples) / static_cast<double>(matrix.actual(pair.actual));
    table.rows.push_back({label_name(set, pair.actual), label_name(set, pair.predicted),
                          fmt::format("{}", pair.examples), fmt::format("{:.1f}%", 100 * share)});
  }
  return table.html();
}

std::string certainty_charts(const AnsweredSet& set) {
  std::vector<double> confidences, right;
  for (std::size_t i = 0; i < set.size(); ++i) {
    confidences.push_back(set.answer(i, static_cast<std::size_t>(set.judged.predicted[i])));
    right.push_back(set.judged.predicted[i] == set.judged.actual[i] ? 1 : 0);
  }
  return calibration_charts(confidences, right, "probability of the predicted label");
}

std::string threshold_charts(const AnsweredSet& set) {
  std::vector<double> scores, positive;
  for (std::size_t i = 0; i < set.size(); ++i) {
    scores.push_back(set.answer(i, 1));
    positive.push_back(set.judged.actual[i]);
  }
  const std::optional<ThresholdCurves> curves = threshold_curves(scores, positive);
  if (!curves)
    return "<p>All rows have one label: there is no ROC or precision-recall curve.</p>\n";
  const double share =
      std::accumulate(positive.begin(), positive.end(), 0.0) / static_cast<double>(positive.size());
  Chart precision_recall(
      fmt::format("Precision and recall, average precision {:.4f}", curves->average_precision),
      axis_of(0, 1, "recall"), axis_of(0, 1, "precision"));
  precision_recall.line({{0, share}, {1, share}}, "ideal", "chance")
      .line(thinned(curves->precision_recall, kPointsOfCurve), "first", set.labels.names[1]);
  Chart roc(fmt::format("ROC, area {:.4f}", curves->roc_area), axis_of(0, 1, "false positive rate"),
            axis_of(0, 1, "true positive rate"));
  roc.line({{0, 0}, {1, 1}}, "ideal", "chance")
      .line(thinned(curves->roc, kPointsOfCurve), "first", set.labels.names[1]);
  return precision_recall.html() + roc.html();
}

}  // namespace

std::string classification_section(const AnsweredSet& set) {
  const ConfusionMatrix matrix(set.judged.actual, set.judged.predicted, set.outputs());
  std::string text;
  if (matrix.classes() <= kMostLabelsShown) {
    text += "<h3>Confusion matrix</h3>\n" + matrix_table(set, matrix);
  } else {
    text += "<h3>Labels confused most</h3>\n" + confused_pairs(set, matrix);
  }
  text += "<h3>By label</h3>\n" + score_table(set);
  text += "<h3>Certainty</h3>\n<div class=\"charts\">\n" + certainty_charts(set);
  if (set.outputs() == 2) text += threshold_charts(set);
  return text + "</div>\n";
}

}  // namespace tandem
