#include "nn/linear.h"

#include <type_traits>

#include "nn/column_sums.h"
#include "nn/quantized_linear.h"

namespace tandem {

template <class T>
void Linear<T>::forward_no_bias(const LayerWeights<T>& weights, Matrix<const T> x, Matrix<T> y,
                                Step& step, const TileDone<T>& tile_done) const {
  if constexpr (std::is_same_v<T, float>) {
    const QuantizedLinear* const quantized =
        step.quantized == nullptr ? nullptr : step.quantized->find(params.weight);
    if (quantized != nullptr) {
      quantized->multiply(x, y, step, tile_done);
      return;
    }
  }
  step.multiply(
      Product<T>{
          .a = x, .b = weights.operand(params.weight), .b_transpose = Transpose::kYes, .c = y},
      tile_done);
}

template <class T>
void Linear<T>::forward(const LayerWeights<T>& weights, Matrix<const T> x, Matrix<T> y,
                        Step& step) const {
  const std::span<const float> bias = weights.vector(params.bias);
  forward_no_bias(weights, x, y, step,
                  [&](const kernels::Sums& sums, Matrix<T> tile, std::int64_t, std::int64_t col) {
                    step.kernels.of<T>().add_bias(sums, bias.data() + col,
                                                  extent_of(tile, 0, tile.rows), tile.data);
                  });
}

template <class T>
void Linear<T>::backward_input(const LayerWeights<T>& weights, Matrix<const T> dy, Matrix<T> dx,
                               InputGradient mode, Step& step) const {
  step.multiply(Product<T>{.a = dy,
                           .b = weights.operand(params.weight),
                           .c = dx,
                           .accumulate = mode == InputGradient::kAdd});
}

template <class T>
void Linear<T>::backward_weight(Matrix<const T> x, Matrix<const T> dy, Gradients gradients,
                                Step& step) const {
  step.multiply(Product<T, float>{.a = dy,
                                  .a_transpose = Transpose::kYes,
                                  .b = x,
                                  .c = gradients.matrix(params.weight),
                                  .accumulate = step.accumulate});
}

template <class T>
void Linear<T>::backward_bias(Matrix<const T> dy, Gradients gradients, Step& step) const {
  const ArenaScope scope(step.arena);
  ColumnSums sums(dy.rows, dy.cols, step);
  step.run_row_blocks(dy.rows, [&](std::int64_t begin, std::int64_t end, int) {
    step.kernels.of<T>().add_column_sums(dy.row(begin), extent_of(dy, begin, end),
                                         sums.begin_block(begin));
  });
  sums.reduce_into(gradients.vector(params.bias), step);
}

template <class T>
void Linear<T>::backward(const LayerWeights<T>& weights, Matrix<const T> x, Matrix<const T> dy,
                         Matrix<T> dx, InputGradient mode, Gradients gradients, Step& step) const {
  backward_weight(x, dy, gradients, step);
  backward_bias(dy, gradients, step);
  backward_input(weights, dy, dx, mode, step);
}

template struct Linear<float>;
template struct Linear<BFloat16>;

}  // namespace tandem
