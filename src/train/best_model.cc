#include "train/best_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/ranges.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/printable.h"

namespace tandem {

BestModel::BestModel(const LoopOptions& options) : options_(options) {}

bool BestModel::add(std::int64_t step, const Results& results) {
  const double value = deciding_value(options_, results);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double before =
      best_ ? best_->value : (options_.best_is_greatest() ? -kInfinity : kInfinity);
  const bool better = is_better(options_, value, before);
  const bool clearly_better =
      better && (!best_ || std::abs(value - before) > options_.early_stopping_threshold);
  evaluations_without_a_better_ = clearly_better ? 0 : evaluations_without_a_better_ + 1;
  if (better) best_ = {.step = step, .value = value};
  return better;
}

bool BestModel::out_of_patience() const {
  return options_.early_stopping_patience > 0 &&
         evaluations_without_a_better_ >= options_.early_stopping_patience;
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
