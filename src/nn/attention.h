#pragma once
// softmax(Q Kᵀ / √D) V for every head of every sequence of a packed batch.

#include <cstdint>

#include "nn/params.h"
#include "nn/step.h"

namespace tandem {

// Vaswani et al. 2017, arXiv:1706.03762, section 3.2, without the projections around it. It reads
// nothing but a sequence's own rows: there is no mask, because there is no padding.
struct SelfAttention {
  std::int64_t heads;
  float dropout_probability;
  std::int64_t layer;

  struct Saved {
    Matrix<float> context;      // [T, C]
    Matrix<float> log_sum_exp;  // [T, H], of each query's scaled scores
  };
  Saved allocate(std::int64_t tokens, std::int64_t width, Arena&) const;

  // saved.context from qkv [T, 3C]: query, key and value side by side.
  void forward(Matrix<const float> qkv, const Saved&, Step&) const;
  // d_qkv [T, 3C] from d_context [T, C].
  void backward(Matrix<const float> qkv, const Saved&, Matrix<const float> d_context,
                Matrix<float> d_qkv, Step&) const;
};

}  // namespace tandem
