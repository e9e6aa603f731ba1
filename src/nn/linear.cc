#include "nn/linear.h"

#include "nn/column_sums.h"
#include "nn/quantized_linear.h"

namespace tandem {

void linear_forward_no_bias(const LinearParams& params, Weights weights, Matrix<const float> x,
                            Matrix<float> y, Step& step, const Gemm::TileDone& tile_done) {
  const QuantizedLinear* const quantized =
      step.quantized == nullptr ? nullptr : step.quantized->find(params.weight);
  if (quantized != nullptr) {
    quantized->multiply(x, y, step, tile_done);
    return;
  }
  step.multiply(
      {.a = x, .b = weights.matrix(params.weight), .b_transpose = Transpose::kYes, .c = y},
      tile_done);
}

void linear_forward(const LinearParams& params, Weights weights, Matrix<const float> x,
                    Matrix<float> y, Step& step) {
  const std::span<const float> bias = weights.vector(params.bias);
  linear_forward_no_bias(
      params, weights, x, y, step, [&](Matrix<float> tile, std::int64_t, std::int64_t col) {
        step.kernels.add_bias(tile.data, bias.data() + col, extent_of(tile, 0, tile.rows));
      });
}

void linear_backward_input(const LinearParams& params, Weights weights, Matrix<const float> dy,
                           Matrix<float> dx, InputGradient mode, Step& step) {
  step.multiply({.a = dy,
                 .b = weights.matrix(params.weight),
                 .c = dx,
                 .accumulate = mode == InputGradient::kAdd});
}

void linear_backward_weight(const LinearParams& params, Matrix<const float> x,
                            Matrix<const float> dy, Gradients gradients, Step& step) {
  step.multiply({.a = dy,
                 .a_transpose = Transpose::kYes,
                 .b = x,
                 .c = gradients.matrix(params.weight),
                 .accumulate = step.accumulate});
}

void linear_backward_bias(const LinearParams& params, Matrix<const float> dy, Gradients gradients,
                          Step& step) {
  const ArenaScope scope(step.arena);
  ColumnSums sums(dy.rows, dy.cols, step);
  step.run_row_blocks(dy.rows, [&](std::int64_t begin, std::int64_t end) {
    step.kernels.add_column_sums(dy.row(begin), extent_of(dy, begin, end), sums.begin_block(begin));
  });
  sums.reduce_into(gradients.vector(params.bias), step);
}

void linear_backward(const LinearParams& params, Weights weights, Matrix<const float> x,
                     Matrix<const float> dy, Matrix<float> dx, InputGradient mode,
                     Gradients gradients, Step& step) {
  linear_backward_weight(params, x, dy, gradients, step);
  linear_backward_bias(params, dy, gradients, step);
  linear_backward_input(params, weights, dy, dx, mode, step);
}

}  // namespace tandem
