#pragma once
// GELU(x W₁ᵀ + b₁) W₂ᵀ: the position-wise half of an encoder layer, up to the bias of W₂.

#include "nn/linear.h"
#include "nn/params.h"
#include "nn/step.h"

namespace tandem {

// Vaswani et al. 2017, section 3.3, with GELU as in Devlin et al. 2018. Activations are of
// type T.
template <class T>
struct FeedForward {
  Linear<T> intermediate;  // [F, C]
  Linear<T> output;        // [C, F]; its bias is added by the ResidualNorm that follows

  struct Saved {
    Matrix<T> intermediate;  // [T, F], before GELU, which is computed again in backward; after
                             // it in prediction
  };
  static Saved allocate(std::int64_t tokens, std::int64_t intermediate_size, Arena&);

  // y [T, C] from x [T, C].
  void forward(const LayerWeights<T>&, Matrix<const T> x, Matrix<T> y, const Saved&, Step&) const;
  // dx += d of x; gradients of both weights and the first bias. x is forward's input again.
  void backward(const LayerWeights<T>&, const Saved&, Matrix<const T> x, Matrix<const T> dy,
                Matrix<T> dx, Gradients, Step&) const;
};

}  // namespace tandem
