#pragma once
// y = x Wᵀ + b, as torch.nn.Linear has it.

#include "nn/params.h"
#include "nn/step.h"

namespace tandem {

struct LinearParams {
  ParamSlice weight;  // [out, in]
  ParamSlice bias;    // [out]
};

// y[T, out] = x[T, in] Wᵀ, without the bias: for what adds it to each tile, or in the next pass
// over y. By 8-bit integers where the step has such a weight.
void linear_forward_no_bias(const LinearParams&, Weights, Matrix<const float> x, Matrix<float> y,
                            Step&, const Gemm::TileDone& tile_done = {});
// y[T, out] = x[T, in] Wᵀ + b.
void linear_forward(const LinearParams&, Weights, Matrix<const float> x, Matrix<float> y, Step&);

enum class InputGradient { kOverwrite, kAdd };

// dx[T, in] = (or +=) dy W.
void linear_backward_input(const LinearParams&, Weights, Matrix<const float> dy, Matrix<float> dx,
                           InputGradient, Step&);
// dW = dyᵀ x; needs x again and nothing else.
void linear_backward_weight(const LinearParams&, Matrix<const float> x, Matrix<const float> dy,
                            Gradients, Step&);
// db = Σ_t dy.
void linear_backward_bias(const LinearParams&, Matrix<const float> dy, Gradients, Step&);
// All three.
void linear_backward(const LinearParams&, Weights, Matrix<const float> x, Matrix<const float> dy,
                     Matrix<float> dx, InputGradient, Gradients, Step&);

}  // namespace tandem
