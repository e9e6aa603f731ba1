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
// et al. 2017, section 5.4.
struct ResidualNorm {
  LayerNormParams norm;
  ParamSlice bias;  // [C], of the linear map before it; its gradient is computed here
  float epsilon;
  float dropout_probability;
  DropoutSite site;
  std::int64_t layer;
  Tokens tokens = Tokens::kAll;  // which tokens the R rows of x are

  struct Saved {
    Matrix<float> normalized;  // [R, C]; empty in prediction
    std::span<float> rstd;     // [R]
  };
  static Saved allocate(std::int64_t rows, std::int64_t width, const Step&);

  // y = LayerNorm(residual + dropout(x + bias)); all [R, C]. y may be x.
  void forward(Weights, Matrix<const float> x, Matrix<const float> residual, Matrix<float> y,
               const Saved&, Step&) const;
  // The output of forward once more, from what was saved.
  void recompute_output(Weights, const Saved&, Matrix<float> y, Step&) const;
  // d_residual and dx from dy; parameter gradients of gamma, beta and bias. d_residual may be dy.
  void backward(Weights, const Saved&, Matrix<const float> dy, Matrix<float> d_residual,
                Matrix<float> dx, Gradients, Step&) const;
};

// LayerNorm alone: y = LayerNorm(x). Saved is the same.
void layer_norm_forward(const LayerNormParams&, float epsilon, Weights, Matrix<const float> x,
                        Matrix<float> y, const ResidualNorm::Saved&, Step&);
void layer_norm_backward(const LayerNormParams&, Weights, const ResidualNorm::Saved&,
                         Matrix<const float> dy, Matrix<float> dx, Gradients, Step&);

}  // namespace tandem
