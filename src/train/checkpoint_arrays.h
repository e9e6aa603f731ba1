#pragma once
// The numbers that training changes, as a checkpoint holds them.

#include <filesystem>
#include <memory>
#include <span>

#include "base/file.h"
#include "base/thread.h"
#include "nn/params.h"
#include "tensor/arena.h"

namespace tandem {

// Each has ParamTable::floats() elements.
struct CheckpointArrays {
  std::span<const float> weights, moment1, moment2;
};

inline constexpr const char* kOptimizerFile = "optimizer.safetensors";

// Stages AdamW's moments of every parameter: tensors exp_avg.<name> and exp_avg_sq.<name>, the
// names being those of the table.
void stage_moments(StagedFiles& files, const ParamTable& table, const CheckpointArrays& arrays);
// Reads them back. Throws ModelError when the file is damaged or of another model.
void read_moments(const std::filesystem::path& directory, const ParamTable& table,
                  std::span<float> moment1, std::span<float> moment2);

// A copy of the arrays as they were at one moment, to be written while training goes on.
class TrainingSnapshot {
 public:
  // Whether this machine has the memory for a copy of so many parameters.
  static bool fits(std::int64_t floats);

  // The copy that was taken before is overwritten. Takes its memory the first time.
  CheckpointArrays take(const CheckpointArrays& arrays, ThreadPool& pool);

 private:
  std::unique_ptr<Arena> memory_;  // owns the arrays
  std::span<float> weights_, moment1_, moment2_;
};

}  // namespace tandem
