#include "report/classifier_quality.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace tandem {
namespace {

double quotient(double a, double b) { return b > 0 ? a / b : 0; }

ClassScore score_of(const ClassCounts& counts) {
  return {.precision = precision(counts),
          .recall = recall(counts),
          .f1 = f1(counts),
          .support = static_cast<std::int64_t>(counts.right + counts.missed)};
}

// The weighted mean of the scores; `weight(score)` of each.
template <class Weight>
ClassScore mean_of(std::span<const ClassScore> scores, const Weight& weight) {
  ClassScore mean;
  double weights = 0;
  for (const ClassScore& score : scores) {
    const double w = weight(score);
    mean.precision += w * score.precision;
    mean.recall += w * score.recall;
    mean.f1 += w * score.f1;
    mean.support += score.support;
    weights += w;
  }
  mean.precision = quotient(mean.precision, weights);
  mean.recall = quotient(mean.recall, weights);
  mean.f1 = quotient(mean.f1, weights);
  return mean;
}

}  // namespace

ConfusionMatrix::ConfusionMatrix(std::span<const double> actual, std::span<const double> predicted,
                                 std::size_t classes)
    : classes_(classes), counts_(classes * classes) {
  for (std::size_t i = 0; i < actual.size(); ++i) {
    ++counts_[static_cast<std::size_t>(actual[i]) * classes +
              static_cast<std::size_t>(predicted[i])];
  }
}

std::int64_t ConfusionMatrix::actual(std::size_t id) const {
  std::int64_t count = 0;
  for (std::size_t k = 0; k < classes_; ++k) count += at(id, k);
  return count;
}

std::int64_t ConfusionMatrix::predicted(std::size_t id) const {
  std::int64_t count = 0;
  for (std::size_t k = 0; k < classes_; ++k) count += at(k, id);
  return count;
}

std::vector<ClassScore> class_scores(const Judged& judged) {
  std::vector<ClassScore> scores;
  for (const ClassCounts& counts : count_classes(judged)) scores.push_back(score_of(counts));
  return scores;
}

ClassScore micro_average(const Judged& judged) { return score_of(sum_of(count_classes(judged))); }

ClassScore macro_average(std::span<const ClassScore> scores) {
  return mean_of(scores, [](const ClassScore&) { return 1.0; });
}

ClassScore weighted_average(std::span<const ClassScore> scores) {
  return mean_of(scores,
                 [](const ClassScore& score) { return static_cast<double>(score.support); });
}

Calibration calibration(std::span<const double> confidences, std::span<const double> right,
                        std::size_t bins) {
  std::vector<CalibrationBin> all(bins);
  const double width = 1 / static_cast<double>(bins);
  for (std::size_t i = 0; i < confidences.size(); ++i) {
    // A bin has its upper end.
    std::size_t bin = 0;
    while (bin + 1 < bins && confidences[i] > static_cast<double>(bin + 1) * width) ++bin;
    all[bin].confidence += confidences[i];
    all[bin].accuracy += right[i];
    ++all[bin].examples;
  }
  Calibration result;
  for (CalibrationBin& bin : all) {
    if (bin.examples == 0) continue;
    const auto examples = static_cast<double>(bin.examples);
    bin.confidence /= examples;
    bin.accuracy /= examples;
    result.error += std::abs(bin.confidence - bin.accuracy) * examples /
                    static_cast<double>(confidences.size());
    result.bins.push_back(bin);
  }
  return result;
}

std::optional<ThresholdCurves> threshold_curves(std::span<const double> scores,
                                                std::span<const double> positive) {
  const double positives = std::accumulate(positive.begin(), positive.end(), 0.0);
  const double negatives = static_cast<double>(positive.size()) - positives;
  if (positives == 0 || negatives == 0) return std::nullopt;
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, std::greater(), [&](std::size_t i) { return scores[i]; });
  ThresholdCurves curves;
  curves.roc.emplace_back(0, 0);
  double taken = 0;  // examples whose score is above the threshold
  double right = 0;  // positive ones among them
  for (std::size_t i = 0; i < order.size();) {
    const double score = scores[order[i]];
    // Equal scores are taken together: no threshold tells them apart.
    for (; i < order.size() && scores[order[i]] == score; ++i) {
      ++taken;
      right += positive[order[i]];
    }
    const auto& [before_x, before_y] = curves.roc.back();
    const double x = (taken - right) / negatives;
    const double y = right / positives;
    const double precision = right / taken;
    curves.roc_area += (x - before_x) * (y + before_y) / 2;
    curves.average_precision += (y - before_y) * precision;
    curves.precision_recall.emplace_back(y, precision);
    curves.roc.emplace_back(x, y);
  }
  return curves;
}

}  // namespace tandem
