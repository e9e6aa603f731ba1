#pragma once
// What a run saves on its way: directories checkpoint-<step> in its output directory, each with a
// manifest, by which a whole one is told from what a killed process left.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"

namespace tandem {

// "checkpoint-20", for so many updates done.
std::string checkpoint_name(std::int64_t step);

struct SavedCheckpoint {
  std::int64_t step;
  std::filesystem::path path;
};

// Whether a directory holds checkpoints of this program, whole or not: transformers' have no
// manifest.
bool holds_checkpoints(const std::filesystem::path& output);

// The newest checkpoint of a directory whose manifest verifies, whatever its name says: one that
// was complete when its process was killed gets its name now. Those that don't verify are told of
// in a warning each, and stay.
std::optional<SavedCheckpoint> newest_checkpoint(const std::filesystem::path& output);

class Checkpoints {
 public:
  // `limit` is how many are kept, 0 or less: all. With `resumed_at`, those of that step and before
  // count as this run's; without, checkpoints of an earlier run stay until one of the same step
  // takes their place. What a killed process left half-written is removed.
  Checkpoints(const std::filesystem::path& output, std::int64_t limit,
              std::optional<std::int64_t> resumed_at = std::nullopt);

  // Those of an earlier run that are there, for people.
  std::vector<std::string> of_earlier_runs() const;
  // Writes one with a manifest of all that is staged, whole or not at all, and reads it back; then
  // removes the oldest of this run that are more than the limit, but never the newest and never
  // that of `best_step`. Throws WallError.
  void save(std::int64_t step, const std::function<void(StagedFiles&)>& stage,
            std::optional<std::int64_t> best_step);
  // At the end with a limit of 1 the best alone stays, as in transformers.
  void finish(std::optional<std::int64_t> best_step);

  std::filesystem::path path_of(std::int64_t step) const;
  // Steps of what this run wrote and is still there, in order.
  const std::vector<std::int64_t>& steps() const { return steps_; }

 private:
  void remove(std::int64_t step);

  std::filesystem::path output_;
  std::int64_t limit_;
  std::vector<std::int64_t> steps_;
};

}  // namespace tandem
