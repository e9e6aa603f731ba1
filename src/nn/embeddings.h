#pragma once
// LayerNorm(word + position + token type), then dropout: the first layer of BERT. DistilBERT's has
// no token types.

#include <cstdint>
#include <span>

#include "nn/residual_norm.h"

namespace tandem {

// Devlin et al. 2018, arXiv:1810.04805, figure 2. Activations are of type T.
template <class T>
struct Embeddings {
  ParamSlice word;        // [V, C]
  ParamSlice position;    // [max positions, C]
  ParamSlice token_type;  // [types, C]; no rows: without
  LayerNormParams norm;
  float epsilon;
  float dropout_probability;

  // Token ids and segments of the batch, each [T]; positions are in the step's layout.
  struct Input {
    std::span<const std::int32_t> ids, segments;
  };
  using Saved = typename ResidualNorm<T>::Saved;

  // y [T, C].
  void forward(const LayerWeights<T>&, const Input&, Matrix<T> y, const Saved&, Step&) const;
  // Gradients of the three tables and the norm. Overwrites dy.
  void backward(const LayerWeights<T>&, const Input&, const Saved&, Matrix<T> dy, Gradients,
                Step&) const;
};

}  // namespace tandem
