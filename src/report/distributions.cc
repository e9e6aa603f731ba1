#include "report/distributions.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "report/html.h"

namespace tandem {
namespace {

constexpr double kMostBins = 25;

struct Range {
  double low, high;
};

Range range_of(std::span<const double> values) {
  const auto [low, high] = std::ranges::minmax_element(values);
  return {*low, *high};
}

// `bins` ranges of `width`, from `low`; a value at the end is in the last.
Chart chart_of_bins(std::string title, std::span<const double> values, std::string label,
                    double low, double width, std::size_t bins) {
  std::vector<double> counts(bins);
  for (const double value : values) {
    const auto bin = static_cast<std::size_t>(std::max(0.0, (value - low) / width));
    ++counts[std::min(bin, bins - 1)];
  }
  Points bars;
  for (std::size_t i = 0; i < bins; ++i) {
    bars.emplace_back(low + static_cast<double>(i) * width, counts[i]);
  }
  const double high = low + static_cast<double>(bins) * width;
  const std::array<double, 2> heights = {0, *std::ranges::max_element(counts)};
  Chart chart(std::move(title), axis_of(low, high, std::move(label)), axis_over(heights));
  chart.bars(bars, "first");
  return chart;
}

// `several`: [N, classes], 1 where a row has the label; otherwise class ids.
std::vector<double> counts_of(std::span<const double> labels, std::size_t classes, bool several) {
  std::vector<double> counts(classes);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (several) {
      counts[i % classes] += labels[i];
    } else {
      ++counts[static_cast<std::size_t>(labels[i])];
    }
  }
  return counts;
}

// A number and its share of all as a bar.
std::string share_cell(double count, double all) {
  const double percent = all > 0 ? 100 * count / all : 0;
  return fmt::format(
      "{:.0f} <span class=\"soft\">{:.1f}%</span><svg class=\"share\" aria-hidden=\"true\"><rect "
      "class=\"first\" width=\"{:.1f}%\" height=\"100%\"/></svg>",
      count, percent, percent);
}

std::string label_table(const AnsweredSet& set, const TrainingRows& training) {
  struct Group {
    std::string name;
    std::vector<double> counts;
    double all;
  };
  std::vector<Group> groups;
  const bool several = set.judged.several;
  const auto add = [&](std::string name, const std::vector<double>& labels) {
    const std::size_t rows = labels.size() / (several ? set.outputs() : 1);
    groups.push_back(
        {std::move(name), counts_of(labels, set.outputs(), several), static_cast<double>(rows)});
  };
  if (!training.source.empty()) add("training", training.labels);
  add("evaluation", set.judged.actual);
  add("predicted", set.judged.predicted);
  HtmlTable table{.columns = {{"label", "name"}}};
  for (const Group& group : groups) table.columns.push_back({group.name});
  for (std::size_t k = 0; k < set.outputs(); ++k) {
    std::vector<std::string> row = {html_shortened(set.labels.names[k], 60)};
    for (const Group& group : groups) row.push_back(share_cell(group.counts[k], group.all));
    table.rows.push_back(std::move(row));
  }
  if (set.outputs() <= 30) return table.html();
  return fmt::format("<details><summary>{} labels</summary>\n{}</details>\n", set.outputs(),
                     table.html());
}

}  // namespace

Chart histogram(std::string title, std::span<const double> values, std::string label) {
  const Range range = range_of(values);
  const double width = (range.high - range.low) / kMostBins;
  if (!(width > 0))
    return chart_of_bins(std::move(title), values, std::move(label), range.low, 1, 1);
  return chart_of_bins(std::move(title), values, std::move(label), range.low, width,
                       static_cast<std::size_t>(kMostBins));
}

Chart whole_number_histogram(std::string title, std::span<const double> values, std::string label) {
  const Range range = range_of(values);
  const double count = range.high - range.low + 1;
  const double width = std::ceil(count / kMostBins);
  return chart_of_bins(std::move(title), values, std::move(label), range.low, width,
                       static_cast<std::size_t>(std::ceil(count / width)));
}

std::string distributions(const AnsweredSet& set, const TrainingRows& training) {
  std::string text = "<h3>Labels and lengths</h3>\n";
  std::string charts;
  if (set.labels.kind == ProblemKind::kRegression) {
    if (!training.source.empty()) {
      charts += histogram("Values in training", training.labels, "value").html();
    }
    charts += histogram("Values in evaluation", set.judged.actual, "value").html();
    charts += histogram("Values predicted", set.judged.predicted, "value").html();
  } else {
    text += label_table(set, training);
  }
  if (!training.source.empty()) {
    charts +=
        whole_number_histogram("Lengths in training", training.lengths, "tokens of a text").html();
  }
  charts += whole_number_histogram("Lengths in evaluation", set.lengths, "tokens of a text").html();
  return text + "<div class=\"charts\">\n" + charts + "</div>\n";
}

}  // namespace tandem
