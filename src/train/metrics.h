#pragma once
// The numbers by which predictions are judged, defined as scikit-learn and scipy define them.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem {

// Predictions beside the truth: class ids [N], values for regression [N], or with several labels at
// once 1 for those that an example has and 0 for the others [N, classes].
struct Judged {
  std::vector<double> predicted, actual;
  std::int64_t classes = 0;  // 0 for regression
  bool several = false;
};

// With several labels at once an example is right when all of its labels are.
double accuracy(const Judged&);

// How often a class was rightly predicted, wrongly predicted, and missed.
struct ClassCounts {
  double right = 0, wrong = 0, missed = 0;
};
std::vector<ClassCounts> count_classes(const Judged&);  // [classes]
ClassCounts sum_of(std::span<const ClassCounts>);
// Each is 0 where it would be 0 / 0.
double precision(const ClassCounts&);
double recall(const ClassCounts&);
double f1(const ClassCounts&);

// kOfClassOne: of two classes. kMicro: of the sums over all classes. kMacro: the mean over classes;
// without several labels at once over those that were predicted or are there, as scikit-learn has
// it.
enum class Averaging : std::uint8_t { kOfClassOne, kMicro, kMacro };
double averaged(const Judged&, double (*score)(const ClassCounts&), Averaging);

// Gorodkin's form for any number of classes; 0 when either side has one class only.
double matthews_correlation(const Judged&);
// NaN when either side is constant.
double pearson_correlation(std::span<const double> x, std::span<const double> y);
// Pearson's of the average ranks; NaN when a value is.
double spearman_correlation(std::span<const double> x, std::span<const double> y);
double mean_squared_error(const Judged&);

// The metric with the name that the reference gives it: accuracy, f1, precision, recall, these
// three with _micro or _macro, matthews_correlation, pearson, spearmanr, mse. Throws UsageError for
// another name.
double metric_value(std::string_view name, const Judged&);

// All of `names` in order, and "combined_score", their mean, when there are several.
std::vector<std::pair<std::string, double>> all_metrics(std::span<const std::string> names,
                                                        const Judged&);

}  // namespace tandem
