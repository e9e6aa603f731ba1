#include "train/metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/error.h"

namespace tandem {
namespace {

std::vector<double> average_ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double rank = static_cast<double>(begin + end + 1) / 2;  // the mean of begin+1 ... end
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = rank;
    begin = end;
  }
  return ranks;
}

double share(double part, double rest) { return part == 0 ? 0 : part / (part + rest); }

struct NamedScore {
  std::string_view name;
  double (*score)(const ClassCounts&);
};
constexpr std::array<NamedScore, 3> kScores = {
    {{"f1", f1}, {"precision", precision}, {"recall", recall}}};
struct NamedAveraging {
  std::string_view suffix;
  Averaging averaging;
};
constexpr std::array<NamedAveraging, 3> kAveragings = {
    {{"", Averaging::kOfClassOne}, {"_micro", Averaging::kMicro}, {"_macro", Averaging::kMacro}}};

// f1, precision or recall, averaged in one of the ways.
std::optional<double> class_score(std::string_view name, const Judged& judged) {
  for (const NamedScore& score : kScores) {
    if (!name.starts_with(score.name)) continue;
    for (const NamedAveraging& averaging : kAveragings) {
      if (name.substr(score.name.size()) != averaging.suffix) continue;
      return averaged(judged, score.score, averaging.averaging);
    }
  }
  return std::nullopt;
}

}  // namespace

double accuracy(const Judged& judged) {
  const auto labels = static_cast<std::size_t>(judged.several ? judged.classes : 1);
  const std::size_t examples = judged.actual.size() / labels;
  double right = 0;
  for (std::size_t i = 0; i < examples; ++i) {
    const auto first = static_cast<std::ptrdiff_t>(i * labels);
    const auto last = static_cast<std::ptrdiff_t>((i + 1) * labels);
    right += std::equal(judged.predicted.begin() + first, judged.predicted.begin() + last,
                        judged.actual.begin() + first)
                 ? 1
                 : 0;
  }
  return right / static_cast<double>(examples);
}

std::vector<ClassCounts> count_classes(const Judged& judged) {
  const auto classes = static_cast<std::size_t>(judged.classes);
  std::vector<ClassCounts> counts(classes);
  for (std::size_t i = 0; i < judged.actual.size(); ++i) {
    const double predicted = judged.predicted[i];
    const double actual = judged.actual[i];
    if (judged.several) {
      ClassCounts& of_label = counts[i % classes];
      of_label.right += predicted * actual;
      of_label.wrong += predicted * (1 - actual);
      of_label.missed += (1 - predicted) * actual;
    } else if (predicted == actual) {
      ++counts[static_cast<std::size_t>(actual)].right;
    } else {
      ++counts[static_cast<std::size_t>(predicted)].wrong;
      ++counts[static_cast<std::size_t>(actual)].missed;
    }
  }
  return counts;
}

ClassCounts sum_of(std::span<const ClassCounts> counts) {
  ClassCounts sums;
  for (const ClassCounts& count : counts) {
    sums.right += count.right;
    sums.wrong += count.wrong;
    sums.missed += count.missed;
  }
  return sums;
}

double precision(const ClassCounts& counts) { return share(counts.right, counts.wrong); }

double recall(const ClassCounts& counts) { return share(counts.right, counts.missed); }

double f1(const ClassCounts& counts) {
  return share(2 * counts.right, counts.wrong + counts.missed);
}

double averaged(const Judged& judged, double (*score)(const ClassCounts&), Averaging averaging) {
  const std::vector<ClassCounts> counts = count_classes(judged);
  if (averaging == Averaging::kOfClassOne) return counts.size() < 2 ? 0 : score(counts[1]);
  if (averaging == Averaging::kMicro) return score(sum_of(counts));
  double scores = 0;
  double classes = 0;
  for (const ClassCounts& count : counts) {
    if (!judged.several && count.right + count.wrong + count.missed == 0) continue;
    scores += score(count);
    ++classes;
  }
  return classes == 0 ? 0 : scores / classes;
}

double matthews_correlation(const Judged& judged) {
  const auto classes = static_cast<std::size_t>(judged.classes);
  std::vector<double> predicted(classes);
  std::vector<double> actual(classes);
  double right = 0;
  for (std::size_t i = 0; i < judged.actual.size(); ++i) {
    ++predicted[static_cast<std::size_t>(judged.predicted[i])];
    ++actual[static_cast<std::size_t>(judged.actual[i])];
    right += judged.predicted[i] == judged.actual[i] ? 1 : 0;
  }
  const auto n = static_cast<double>(judged.actual.size());
  const auto product = [&](const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  };
  const double covariance = right * n - product(predicted, actual);
  const double predicted_variance = n * n - product(predicted, predicted);
  const double actual_variance = n * n - product(actual, actual);
  if (predicted_variance == 0 || actual_variance == 0) return 0;
  return covariance / std::sqrt(predicted_variance * actual_variance);
}

double pearson_correlation(std::span<const double> x, std::span<const double> y) {
  const auto n = static_cast<double>(x.size());
  const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / n;
  const double mean_y = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xy = 0;
  double xx = 0;
  double yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean_x) * (y[i] - mean_y);
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
  }
  return xy / (std::sqrt(xx) * std::sqrt(yy));
}

double spearman_correlation(std::span<const double> x, std::span<const double> y) {
  const auto is_nan = [](double value) { return std::isnan(value); };
  if (std::ranges::any_of(x, is_nan) || std::ranges::any_of(y, is_nan)) return NAN;
  return pearson_correlation(average_ranks(x), average_ranks(y));
}

double mean_squared_error(const Judged& judged) {
  double sum = 0;
  for (std::size_t i = 0; i < judged.actual.size(); ++i) {
    sum += (judged.predicted[i] - judged.actual[i]) * (judged.predicted[i] - judged.actual[i]);
  }
  return sum / static_cast<double>(judged.actual.size());
}

double metric_value(std::string_view name, const Judged& judged) {
  if (name == "accuracy") return accuracy(judged);
  if (name == "matthews_correlation") return matthews_correlation(judged);
  if (name == "pearson") return pearson_correlation(judged.predicted, judged.actual);
  if (name == "spearmanr") return spearman_correlation(judged.predicted, judged.actual);
  if (name == "mse") return mean_squared_error(judged);
  if (const std::optional<double> score = class_score(name, judged)) return *score;
  throw UsageError(
      "there is no metric {}; known are accuracy, f1, precision, recall, f1_micro, f1_macro, "
      "precision_micro, precision_macro, recall_micro, recall_macro, matthews_correlation, "
      "pearson, spearmanr, mse",
      name);
}

std::vector<std::pair<std::string, double>> all_metrics(std::span<const std::string> names,
                                                        const Judged& judged) {
  std::vector<std::pair<std::string, double>> values;
  double sum = 0;
  for (const std::string& name : names) {
    values.emplace_back(name, metric_value(name, judged));
    sum += values.back().second;
  }
  if (names.size() > 1) {
    values.emplace_back("combined_score", sum / static_cast<double>(names.size()));
  }
  return values;
}

}  // namespace tandem
