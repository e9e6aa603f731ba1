#include "train/best_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/ranges.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/printable.h"

namespace tandem {

BestModel::BestModel(const LoopOptions& options, const BestSoFar& so_far)
    : options_(options), state_(so_far) {}

bool BestModel::add(std::int64_t step, const Results& results) {
  const double value = deciding_value(options_, results);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::optional<BestEvaluation>& best = state_.evaluation;
  const double before = best ? best->value : (options_.best_is_greatest() ? -kInfinity : kInfinity);
  const bool better = is_better(options_, value, before);
  const bool clearly_better =
      better && (!best || std::abs(value - before) > options_.early_stopping_threshold);
  state_.evaluations_without_a_better =
      clearly_better ? 0 : state_.evaluations_without_a_better + 1;
  if (better) state_.evaluation = {.step = step, .value = value};
  return better;
}

bool BestModel::out_of_patience() const {
  return options_.early_stopping_patience > 0 &&
         state_.evaluations_without_a_better >= options_.early_stopping_patience;
}

double deciding_value(const LoopOptions& options, const Results& results) {
  const std::string metric = options.best_metric();
  for (const auto& [name, value] : results) {
    if (name == metric) return value;
  }
  std::vector<std::string> names;
  for (const auto& [name, value] : results) names.push_back(name);
  check_best_metric(options, names);
  return std::numeric_limits<double>::quiet_NaN();
}

void check_best_metric(const LoopOptions& options, std::span<const std::string> names) {
  const std::string metric = options.best_metric();
  if (std::ranges::find(names, metric) != names.end()) return;
  throw UsageError("--metric-for-best-model {}: an evaluation has no such metric{}; it has {}",
                   printable(metric), suggestion(metric, names), fmt::join(names, ", "));
}

bool is_better(const LoopOptions& options, double value, double than) {
  return options.best_is_greatest() ? value > than : value < than;
}

}  // namespace tandem
