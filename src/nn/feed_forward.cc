#include "nn/feed_forward.h"

#include "nn/column_sums.h"

namespace tandem {

template <class T>
typename FeedForward<T>::Saved FeedForward<T>::allocate(std::int64_t tokens,
                                                        std::int64_t intermediate_size,
                                                        Arena& arena) {
  return {arena.matrix<T>(tokens, intermediate_size)};
}

template <class T>
void FeedForward<T>::forward(const LayerWeights<T>& weights, Matrix<const T> x, Matrix<T> y,
                             const Saved& saved, Step& step) const {
  const ArenaScope scope(step.arena);
  step.enter(Phase::kIntermediate, Pass::kForward);
  const Matrix<T> activated =
      step.backward_follows ? step.arena.matrix<T>(saved.intermediate.rows, saved.intermediate.cols)
                            : saved.intermediate;
  const std::span<const float> bias = weights.vector(intermediate.params.bias);
  intermediate.forward_no_bias(
      weights, x, saved.intermediate, step,
      [&](const kernels::Sums& sums, Matrix<T> tile, std::int64_t row, std::int64_t col) {
        const PhaseClock::ActivationTime time(step.clock);
        step.kernels.of<T>().bias_gelu_forward(
            sums, bias.data() + col, extent_of(tile, 0, tile.rows),
            step.backward_follows ? tile.data : nullptr, activated.row(row) + col);
      });
  step.enter(Phase::kOutput, Pass::kForward);
  output.forward_no_bias(weights, activated, y, step);
}

template <class T>
void FeedForward<T>::backward(const LayerWeights<T>& weights, const Saved& saved, Matrix<const T> x,
                              Matrix<const T> dy, Matrix<T> dx, Gradients gradients,
                              Step& step) const {
  const ArenaScope scope(step.arena);
  const std::int64_t rows = saved.intermediate.rows;
  const std::int64_t cols = saved.intermediate.cols;
  const Matrix<T> activated = step.arena.matrix<T>(rows, cols);
  const Matrix<T> d_intermediate = step.arena.matrix<T>(rows, cols);
  step.enter(Phase::kOutput, Pass::kBackward);
  output.backward_input(weights, dy, d_intermediate, InputGradient::kOverwrite, step);

  step.enter<T>(Phase::kGelu, Pass::kBackward, 4 * rows * cols);
  ColumnSums d_bias(rows, cols, step);
  step.run_row_blocks(rows, [&](std::int64_t begin, std::int64_t end, int) {
    step.kernels.of<T>().gelu_backward(
        saved.intermediate.row(begin), extent_of(saved.intermediate, begin, end),
        d_intermediate.row(begin), activated.row(begin), d_bias.begin_block(begin));
  });
  d_bias.reduce_into(gradients.vector(intermediate.params.bias), step);
  step.enter(Phase::kOutput, Pass::kBackward);
  output.backward_weight(activated, dy, gradients, step);
  step.enter(Phase::kIntermediate, Pass::kBackward);
  intermediate.backward_weight(x, d_intermediate, gradients, step);
  intermediate.backward_input(weights, d_intermediate, dx, InputGradient::kAdd, step);
}

template struct FeedForward<float>;
template struct FeedForward<BFloat16>;

}  // namespace tandem
