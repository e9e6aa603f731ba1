#include "report/regression_section.h"

#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "report/chart.h"
#include "report/distributions.h"

namespace tandem {

std::string regression_section(const AnsweredSet& set) {
  constexpr std::size_t kMostPoints = 2000;
  Points values, residuals;
  std::vector<double> all, differences;
  double squares = 0;
  double magnitudes = 0;
  for (std::size_t i = 0; i < set.size(); ++i) {
    const double difference = set.judged.predicted[i] - set.judged.actual[i];
    values.emplace_back(set.judged.actual[i], set.judged.predicted[i]);
    residuals.emplace_back(set.judged.predicted[i], difference);
    all.insert(all.end(), {set.judged.actual[i], set.judged.predicted[i]});
    differences.push_back(difference);
    squares += difference * difference;
    magnitudes += std::abs(difference);
  }
  const auto count = static_cast<double>(set.size());
  const Axis axis = axis_over(all);
  Axis actual = axis;
  actual.label = "actual";
  Axis predicted = axis;
  predicted.label = "predicted";
  Chart scatter("Predicted against actual values", actual, predicted);
  scatter.line({{axis.low, axis.low}, {axis.high, axis.high}}, "ideal", "exactly right")
      .dots(thinned(values, kMostPoints), "first");
  Chart residual_chart("Residuals: predicted less actual", predicted, axis_over(differences));
  residual_chart.line({{axis.low, 0}, {axis.high, 0}}, "ideal")
      .dots(thinned(residuals, kMostPoints), "first");
  std::string text = fmt::format(
      "<p>Root mean squared error {:.4f}, mean absolute error {:.4f}.</p>\n<div "
      "class=\"charts\">\n",
      std::sqrt(squares / count), magnitudes / count);
  text += scatter.html() + residual_chart.html();
  return text + histogram("Residuals", differences, "predicted less actual").html() + "</div>\n";
}

}  // namespace tandem
