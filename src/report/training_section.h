#pragma once
// What a report shows of how a model was trained.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "train/training_curve.h"

namespace tandem {

// The metric that says which evaluation was best.
struct Judgement {
  std::string key;  // as in the log: "eval_f1"
  bool greater_is_better = true;
};

// The entries of a log that are evaluations, in order.
std::vector<nlohmann::json> evaluations_of(std::span<const nlohmann::json> log);

// Which of them was best, the earliest of equals; nothing when none has a number for it.
std::optional<std::size_t> best_evaluation(std::span<const nlohmann::json> evaluations,
                                           const Judgement& judgement);

// Whether an entry's number is one of quality, and not of time, counts or progress.
bool tells_quality(const std::string& key);

// HTML: loss, metric, learning rate and gradient norm by step, and a table of all evaluations, the
// best one marked.
std::string training_section(const TrainingCurve& curve, std::span<const nlohmann::json> log,
                             const Judgement& judgement);

}  // namespace tandem
