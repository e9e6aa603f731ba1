#pragma once
// Sums over the rows of a batch, for the gradients of biases and LayerNorm: kept by block of rows
// while the blocks are worked on, then added up in order.

#include <cstdint>
#include <span>

#include "nn/step.h"

namespace tandem {

// One row of `cols` floats for each block of rows of the batch; memory from the step's arena.
class ColumnSums {
 public:
  ColumnSums(std::int64_t rows, std::int64_t cols, Step& step);

  // The partial sums of the block that starts at row `begin`, set to zero. Called once a block.
  float* begin_block(std::int64_t begin);
  // gradient = (or +=, when the step accumulates) the sum over all blocks.
  void reduce_into(std::span<float> gradient, const Step& step) const;

 private:
  Matrix<float> partial_;  // [blocks, cols]
};

}  // namespace tandem
