#include "nn/feed_forward.h"

#include "nn/column_sums.h"

namespace tandem {

FeedForward::Saved FeedForward::allocate(std::int64_t tokens, std::int64_t intermediate_size,
                                         Arena& arena) {
  return {arena.matrix<float>(tokens, intermediate_size)};
}

void FeedForward::forward(Weights weights, Matrix<const float> x, Matrix<float> y,
                          const Saved& saved, Step& step) const {
  const ArenaScope scope(step.arena);
  step.enter(Phase::kIntermediate, Pass::kForward);
  const Matrix<float> activated =
      step.backward_follows
          ? step.arena.matrix<float>(saved.intermediate.rows, saved.intermediate.cols)
          : saved.intermediate;
  const std::span<const float> bias = weights.vector(intermediate.bias);
  linear_forward_no_bias(intermediate, weights, x, saved.intermediate, step,
                         [&](Matrix<float> tile, std::int64_t row, std::int64_t col) {
                           const PhaseClock::ActivationTime time(step.clock);
                           step.kernels.bias_gelu_forward(tile.data, bias.data() + col,
                                                          extent_of(tile, 0, tile.rows),
                                                          activated.row(row) + col);
                         });
  step.enter(Phase::kOutput, Pass::kForward);
  linear_forward_no_bias(output, weights, activated, y, step);
}

void FeedForward::backward(Weights weights, const Saved& saved, Matrix<const float> x,
                           Matrix<const float> dy, Matrix<float> dx, Gradients gradients,
                           Step& step) const {
  const ArenaScope scope(step.arena);
  const std::int64_t rows = saved.intermediate.rows;
  const std::int64_t cols = saved.intermediate.cols;
  const Matrix<float> activated = step.arena.matrix<float>(rows, cols);
  const Matrix<float> d_intermediate = step.arena.matrix<float>(rows, cols);
  step.enter(Phase::kOutput, Pass::kBackward);
  linear_backward_input(output, weights, dy, d_intermediate, InputGradient::kOverwrite, step);

  step.enter(Phase::kGelu, Pass::kBackward, 4 * rows * cols);
  ColumnSums d_bias(rows, cols, step);
  step.run_row_blocks(rows, [&](std::int64_t begin, std::int64_t end) {
    step.kernels.gelu_backward(saved.intermediate.row(begin),
                               extent_of(saved.intermediate, begin, end), d_intermediate.row(begin),
                               activated.row(begin), d_bias.begin_block(begin));
  });
  d_bias.reduce_into(gradients.vector(intermediate.bias), step);
  step.enter(Phase::kOutput, Pass::kBackward);
  linear_backward_weight(output, activated, dy, gradients, step);
  step.enter(Phase::kIntermediate, Pass::kBackward);
  linear_backward_weight(intermediate, x, d_intermediate, gradients, step);
  linear_backward_input(intermediate, weights, d_intermediate, dx, InputGradient::kAdd, step);
}

}  // namespace tandem
