#pragma once
// How far a training is: all that it takes to go on with it, besides weights and moments.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "train/best_model.h"
#include "train/running_mean.h"
#include "train/training_curve.h"

namespace tandem {

struct TrainingProgress {
  std::int64_t steps = 0, examples = 0, tokens = 0;  // done
  double seconds = 0;  // of training alone, evaluations and checkpoints left out
  double gradient_norm = 0, learning_rate = 0;     // of the last update
  RunningMean all, since_entry, since_evaluation;  // losses of updates
  BestSoFar best;
  std::optional<std::int64_t> best_checkpoint;  // of which step; the best that was saved
  bool saved_before = false;                    // there is a checkpoint
  // The evaluation and the checkpoint that were due after the last update are done.
  bool settled = true;
  TrainingCurve curve;
};

// By what the updates so far were computed: with something else the rest has other bits. (With
// another number of threads it hasn't.)
struct ComputedBy {
  std::string program, kernels, precision;
  std::int64_t ranks = 1;
  bool operator==(const ComputedBy&) const = default;
  // "tandem 0.1.0, kernels avx2, fp32, 2 ranks"
  std::string text() const;
};

struct SavedTraining {
  TrainingProgress progress;
  ComputedBy computed_by;
  std::int64_t batch_size = 0;      // examples of an update, over all ranks
  std::string data;                 // a hash of the rows that are learned from
  std::vector<nlohmann::json> log;  // RunLog's history
};

inline constexpr const char* kProgressFile = "training_progress.json";
std::string training_progress_text(const SavedTraining& training);
// Throws ModelError for a text that isn't such a file, or is one of a later format.
SavedTraining parse_training_progress(std::string_view text, const std::string& source);

}  // namespace tandem
