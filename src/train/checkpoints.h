#pragma once
// The models that a run saves on its way: directories checkpoint-<step> in its output directory.

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

class Checkpoints {
 public:
  // `limit` is how many are kept, 0 or less: all. What a killed process left half-written is
  // removed; checkpoints of an earlier run stay until one of the same step takes their place.
  Checkpoints(const std::filesystem::path& output, std::int64_t limit);

  // Those of an earlier run that are there, for people.
  std::vector<std::string> of_earlier_runs() const;
  // Writes one, whole or not at all; then removes the oldest of this run that are more than the
  // limit, but never the newest and never that of `best_step`. Throws WallError.
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
