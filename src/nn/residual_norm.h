#pragma once
// LayerNorm(residual + dropout(x + bias)): what ends both halves of an encoder layer.

#include "nn/linear.h"
#include "nn/params.h"
#include "nn/step.h"

namespace tandem {

struct LayerNormParams {
  ParamSlice gamma, beta;  // [C]
};

// Ba et al. 2016, arXiv:1607.06450, eq. 3-4, after dropout and the residual connection of Vaswani
// et al. 2017, section 5.4. Activations are of type T.
template <class T>
struct ResidualNorm {
  LayerNormParams norm;
  ParamSlice bias;  // [C], of the linear map before it; its gradient is computed here
  float epsilon;
  float dropout_probability;
  DropoutSite site;
  std::int64_t layer;
  Tokens tokens = Tokens::kAll;  // which tokens the R rows of x are

  struct Saved {
    Matrix<T> normalized;   // [R, C]; empty in prediction
    std::span<float> rstd;  // [R]
  };
  static Saved allocate(std::int64_t rows, std::int64_t width, const Step&);

  // y = LayerNorm(residual + dropout(x + bias)); all [R, C]. y may be x.
  void forward(const LayerWeights<T>&, Matrix<const T> x, Matrix<const T> residual, Matrix<T> y,
               const Saved&, Step&) const;
  // The output of forward once more, from what was saved.
  void recompute_output(const LayerWeights<T>&, const Saved&, Matrix<T> y, Step&) const;
  // d_residual and dx from dy; parameter gradients of gamma, beta and bias. d_residual may be dy.
  void backward(const LayerWeights<T>&, const Saved&, Matrix<const T> dy, Matrix<T> d_residual,
                Matrix<T> dx, Gradients, Step&) const;
};

// LayerNorm alone. Saved is the same.
template <class T>
struct LayerNorm {
  LayerNormParams norm;
  float epsilon;
  using Saved = typename ResidualNorm<T>::Saved;

  // y = LayerNorm(x); both [R, C]. y may be x.
  void forward(const LayerWeights<T>&, Matrix<const T> x, Matrix<T> y, const Saved&, Step&) const;
  // dx from dy, and the gradients of gamma and beta. dx may be dy.
  void backward(const LayerWeights<T>&, const Saved&, Matrix<const T> dy, Matrix<T> dx, Gradients,
                Step&) const;
};

}  // namespace tandem
