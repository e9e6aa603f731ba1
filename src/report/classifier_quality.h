#pragma once
// How good a classifier is beyond one number: by class, by threshold, and in what it says of its
// own certainty. Defined as scikit-learn defines them.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "report/chart.h"
#include "train/metrics.h"

namespace tandem {

// How many examples of each class were predicted as which.
class ConfusionMatrix {
 public:
  // Class ids, from 0 to below `classes`, of the same examples.
  ConfusionMatrix(std::span<const double> actual, std::span<const double> predicted,
                  std::size_t classes);
  std::size_t classes() const { return classes_; }
  std::int64_t at(std::size_t actual, std::size_t predicted) const {
    return counts_[actual * classes_ + predicted];
  }
  std::int64_t actual(std::size_t id) const;
  std::int64_t predicted(std::size_t id) const;

 private:
  std::size_t classes_;
  std::vector<std::int64_t> counts_;  // [K, K], a row for each actual class
};

// As train/metrics.h defines them.
struct ClassScore {
  double precision = 0, recall = 0, f1 = 0;
  std::int64_t support = 0;  // examples that are of the class
};
std::vector<ClassScore> class_scores(const Judged&);
// Of the sums over all classes; means of the classes', each counted once, or as often as it has
// examples.
ClassScore micro_average(const Judged&);
ClassScore macro_average(std::span<const ClassScore>);
ClassScore weighted_average(std::span<const ClassScore>);

// Of a certainty from 0 to 1 in bins of equal width (Guo et al., On Calibration of Modern Neural
// Networks, 2017): how often the model was right beside how often it said it would be.
struct CalibrationBin {
  double confidence = 0;  // mean
  double accuracy = 0;
  std::int64_t examples = 0;
};
struct Calibration {
  std::vector<CalibrationBin> bins;  // those with examples, ascending
  double error = 0;                  // ECE: the mean difference, by examples
};
inline constexpr std::size_t kCalibrationBins = 15;
// `right[i]` is 1 when the class that had the probability confidences[i] was the right one, else 0.
Calibration calibration(std::span<const double> confidences, std::span<const double> right,
                        std::size_t bins = kCalibrationBins);

// Of two classes, by every threshold at which the score of the second makes a difference.
struct ThresholdCurves {
  Points roc;               // false positive rate, true positive rate; from (0, 0) to (1, 1)
  Points precision_recall;  // recall, precision; from recall 0 up
  double roc_area = 0;
  double average_precision = 0;
};
// `positive[i]` is 1 or 0. Nothing when all examples are of one class: neither rate exists then.
std::optional<ThresholdCurves> threshold_curves(std::span<const double> scores,
                                                std::span<const double> positive);

}  // namespace tandem
