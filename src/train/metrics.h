#pragma once
// The numbers by which predictions are judged, defined as scikit-learn and scipy define them.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem {

// Predictions beside the truth: class ids, or values for regression.
struct Judged {
  std::vector<double> predicted, actual;
  std::int64_t classes = 0;  // 0 for regression
};

double accuracy(const Judged&);
// Of class 1; 0 when there is neither a prediction nor a label of it.
double binary_f1(const Judged&);
// Gorodkin's form for any number of classes; 0 when either side has one class only.
double matthews_correlation(const Judged&);
// NaN when either side is constant.
double pearson_correlation(std::span<const double> x, std::span<const double> y);
// Pearson's of the average ranks; NaN when a value is.
double spearman_correlation(std::span<const double> x, std::span<const double> y);
double mean_squared_error(const Judged&);

// The metric with the name that the reference gives it: accuracy, f1, matthews_correlation,
// pearson, spearmanr, mse. Throws UsageError for another name.
double metric_value(std::string_view name, const Judged&);

// All of `names` in order, and "combined_score", their mean, when there are several.
std::vector<std::pair<std::string, double>> all_metrics(std::span<const std::string> names,
                                                        const Judged&);

}  // namespace tandem
