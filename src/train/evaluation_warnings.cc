#include "train/evaluation_warnings.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/ranges.h>

#include "base/printable.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostClasses = 7;  // 5,040 orders

using Counts = std::vector<std::vector<double>>;  // [actual][predicted]

Counts count(const Judged& judged) {
  const auto classes = static_cast<std::size_t>(judged.classes);
  Counts counts(classes, std::vector<double>(classes));
  for (std::size_t i = 0; i < judged.actual.size(); ++i) {
    ++counts[static_cast<std::size_t>(judged.actual[i])]
            [static_cast<std::size_t>(judged.predicted[i])];
  }
  return counts;
}

// How many answers are right when what is predicted as class p means class order[p].
double right_in(const std::vector<std::size_t>& order, const Counts& counts) {
  double right = 0;
  for (std::size_t p = 0; p < order.size(); ++p) right += counts[order[p]][p];
  return right;
}

std::vector<std::size_t> numbered_order(std::size_t classes) {
  std::vector<std::size_t> order(classes);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

std::vector<std::size_t> best_order(const Counts& counts) {
  std::vector<std::size_t> order = numbered_order(counts.size());
  std::vector<std::size_t> best = order;
  while (std::ranges::next_permutation(order).found) {
    if (right_in(order, counts) > right_in(best, counts)) best = order;
  }
  return best;
}

double commonest_share(std::span<const double> classes) {
  std::vector<double> sorted(classes.begin(), classes.end());
  std::ranges::sort(sorted);
  std::size_t most = 0;
  for (std::size_t begin = 0, i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != sorted[begin]) begin = i;
    most = std::max(most, i + 1 - begin);
  }
  return static_cast<double>(most) / static_cast<double>(sorted.size());
}

std::string one_class_warning(const Judged& judged, std::span<const std::string> label_names) {
  const double only = judged.predicted.front();
  const bool all = std::ranges::all_of(judged.predicted, [&](double id) { return id == only; });
  const double share = accuracy(judged);
  if (!all || share == 1) return {};
  return fmt::format(
      "all {} rows are predicted {}, which {:.1f}% of them are; if that stays so, a smaller "
      "--learning-rate, --warmup-ratio 0.1 or another --seed usually helps",
      judged.predicted.size(), in_quotes(label_names[static_cast<std::size_t>(only)]), 100 * share);
}

std::string label_order_warning(const Judged& judged, std::span<const std::string> label_names) {
  if (judged.classes > kMostClasses) return {};
  const auto rows = static_cast<double>(judged.actual.size());
  const double chance = 1 / static_cast<double>(judged.classes);
  const double margin = 3 * std::sqrt(chance * (1 - chance) / rows);
  const double found = accuracy(judged);
  if (found >= chance - margin) return {};
  const Counts counts = count(judged);
  const std::vector<std::size_t> order = best_order(counts);
  const double possible = right_in(order, counts) / rows;
  if (possible <= commonest_share(judged.actual) + margin) return {};
  std::vector<std::string> meanings;
  for (std::size_t p = 0; p < order.size(); ++p) {
    if (order[p] == p) continue;
    meanings.push_back(
        fmt::format("{} meant {}", in_quotes(label_names[p]), in_quotes(label_names[order[p]])));
  }
  return fmt::format(
      "accuracy {:.3f} is below chance, {:.3f}; it would be {:.3f} if {}: are the labels of these "
      "rows and those that the model learned from the same?",
      found, chance, possible, fmt::join(meanings, " and "));
}

}  // namespace

std::vector<std::string> evaluation_warnings(const Judged& judged,
                                             std::span<const std::string> label_names) {
  std::vector<std::string> warnings;
  if (judged.classes < 2 || judged.actual.empty()) return warnings;
  for (const std::string& warning :
       {one_class_warning(judged, label_names), label_order_warning(judged, label_names)}) {
    if (!warning.empty()) warnings.push_back(warning);
  }
  return warnings;
}

std::vector<std::string> evaluation_warnings(const Predictions& predictions,
                                             const TokenDataset& dataset,
                                             const LabelScheme& labels) {
  if (labels.kind != ProblemKind::kSingleLabel) return {};
  std::vector<std::string> warnings =
      evaluation_warnings(judge(predictions, dataset, labels.kind), labels.names);
  for (std::string& warning : warnings) warning = dataset.source + ": " + warning;
  return warnings;
}

}  // namespace tandem
