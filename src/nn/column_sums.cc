#include "nn/column_sums.h"

#include <algorithm>

namespace tandem {

ColumnSums::ColumnSums(std::int64_t rows, std::int64_t cols, Step& step)
    : partial_(step.arena.matrix<float>((rows + Step::kRowBlock - 1) / Step::kRowBlock, cols)) {}

float* ColumnSums::begin_block(std::int64_t begin) {
  float* const row = partial_.row(begin / Step::kRowBlock);
  std::fill_n(row, partial_.cols, 0.0F);
  return row;
}

void ColumnSums::reduce_into(std::span<float> gradient, const Step& step) const {
  constexpr std::int64_t kColsPerTask = 512;
  const std::int64_t tasks = (partial_.cols + kColsPerTask - 1) / kColsPerTask;
  step.run(tasks, [&](std::int64_t task, int) {
    const std::int64_t begin = task * kColsPerTask;
    const std::int64_t count = std::min(kColsPerTask, partial_.cols - begin);
    float* const out = gradient.data() + begin;
    if (!step.accumulate) std::fill_n(out, count, 0.0F);
    for (std::int64_t block = 0; block < partial_.rows; ++block) {
      step.kernels.fp32.add(partial_.row(block) + begin, count, out);
    }
  });
}

}  // namespace tandem
