#include "report/several_labels_section.h"

#include <numeric>
#include <span>
#include <vector>

#include "report/chart.h"
#include "report/distributions.h"
#include "report/quality_parts.h"

namespace tandem {
namespace {

// `has`: [N, K], 1 where a row has a label.
std::vector<double> labels_of_rows(const std::vector<double>& has, std::size_t outputs) {
  std::vector<double> counts;
  for (std::size_t begin = 0; begin < has.size(); begin += outputs) {
    const std::span<const double> row = std::span(has).subspan(begin, outputs);
    counts.push_back(std::accumulate(row.begin(), row.end(), 0.0));
  }
  return counts;
}

}  // namespace

std::string several_labels_section(const AnsweredSet& set) {
  const auto labels_chart = [&](const char* title, const std::vector<double>& has) {
    return whole_number_histogram(title, labels_of_rows(has, set.outputs()), "labels of a row")
        .html();
  };
  std::string text = "<h3>By label</h3>\n" + score_table(set);
  text += "<h3>Certainty</h3>\n<div class=\"charts\">\n";
  text += calibration_charts(set.answers, set.judged.actual, "probability of a label");
  text += "</div>\n<h3>Labels at once</h3>\n<div class=\"charts\">\n";
  text += labels_chart("Labels in evaluation", set.judged.actual);
  text += labels_chart("Labels predicted", set.judged.predicted);
  return text + "</div>\n";
}

}  // namespace tandem
