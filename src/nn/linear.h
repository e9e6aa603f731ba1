#pragma once
// y = x Wᵀ + b, as torch.nn.Linear has it.

#include "nn/params.h"
#include "nn/step.h"

namespace tandem {

struct LinearParams {
  ParamSlice weight;  // [out, in]
  ParamSlice bias;    // [out]
};

enum class InputGradient { kOverwrite, kAdd };

// For activations of type T.
template <class T>
struct Linear {
  LinearParams params;

  // y[R, out] = x[R, in] Wᵀ, without the bias: for what adds it to each tile, or in the next pass
  // over y. By 8-bit integers where the step has such a weight.
  void forward_no_bias(const LayerWeights<T>&, Matrix<const T> x, Matrix<T> y, Step&,
                       const TileDone<T>& tile_done = {}) const;
  // y[R, out] = x[R, in] Wᵀ + b.
  void forward(const LayerWeights<T>&, Matrix<const T> x, Matrix<T> y, Step&) const;

  // dx[R, in] = (or +=) dy W.
  void backward_input(const LayerWeights<T>&, Matrix<const T> dy, Matrix<T> dx, InputGradient,
                      Step&) const;
  // dW = dyᵀ x; needs x again and nothing else.
  void backward_weight(Matrix<const T> x, Matrix<const T> dy, Gradients, Step&) const;
  // db = Σ_r dy.
  void backward_bias(Matrix<const T> dy, Gradients, Step&) const;
  // All three.
  void backward(const LayerWeights<T>&, Matrix<const T> x, Matrix<const T> dy, Matrix<T> dx,
                InputGradient, Gradients, Step&) const;
};

}  // namespace tandem
