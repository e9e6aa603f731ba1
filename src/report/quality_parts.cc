#include "report/quality_parts.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "report/chart.h"
#include "report/classifier_quality.h"
#include "report/distributions.h"
#include "report/html.h"

namespace tandem {
namespace {

constexpr std::size_t kMostNameBytes = 60;

std::vector<std::string> score_row(std::string name, const ClassScore& score) {
  return {std::move(name), html_number(score.precision), html_number(score.recall),
          html_number(score.f1), fmt::format("{}", score.support)};
}

HtmlTable empty_table() {
  return {.columns = {{"label", "name"}, {"precision"}, {"recall"}, {"F1"}, {"rows"}}};
}

}  // namespace

std::string label_name(const AnsweredSet& set, std::size_t id) {
  return html_shortened(set.labels.names[id], kMostNameBytes);
}

// With many labels the averages come first, and the others are folded away, the worst on top.
std::string score_table(const AnsweredSet& set) {
  const std::vector<ClassScore> scores = class_scores(set.judged);
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const bool many = order.size() > kMostLabelsShown;
  if (many) std::ranges::stable_sort(order, {}, [&](std::size_t k) { return scores[k].f1; });
  HtmlTable averages = empty_table();
  if (set.judged.several) {
    averages.rows.push_back(score_row("micro average", micro_average(set.judged)));
  }
  averages.rows.push_back(score_row("macro average", macro_average(scores)));
  averages.rows.push_back(score_row("weighted average", weighted_average(scores)));
  HtmlTable table = empty_table();
  for (const std::size_t k : order) table.rows.push_back(score_row(label_name(set, k), scores[k]));
  if (many) {
    return averages.html() + fmt::format(
                                 "<details><summary>{} labels, the worst first</summary>\n{}"
                                 "</details>\n",
                                 order.size(), table.html());
  }
  table.rows.insert(table.rows.end(), averages.rows.begin(), averages.rows.end());
  return table.html();
}

std::string calibration_charts(std::span<const double> confidences, std::span<const double> right,
                               const std::string& what) {
  const Calibration found = calibration(confidences, right);
  Points points;
  for (const CalibrationBin& bin : found.bins) points.emplace_back(bin.confidence, bin.accuracy);
  Chart chart(fmt::format("Calibration, ECE {:.4f}", found.error), axis_of(0, 1, what),
              axis_of(0, 1, "share right"));
  chart.line({{0, 0}, {1, 1}}, "ideal", "perfectly calibrated")
      .line(points, "first", "this model")
      .dots(points, "first");
  return chart.html() + histogram("Certainty", confidences, what).html();
}

}  // namespace tandem
