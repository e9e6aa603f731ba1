#pragma once
// softmax(Q Kᵀ / √D) V for every head of every sequence of a packed batch.

#include <cstdint>

#include "nn/params.h"
#include "nn/step.h"

namespace tandem {

// Queries [R, C], and keys and values [T, C] with one stride; or the gradients of these.
template <class T>
struct QueryKeyValue {
  Matrix<T> query, key, value;
  // NOLINTNEXTLINE(google-explicit-constructor): as of Matrix
  operator QueryKeyValue<const T>() const requires(!std::is_const_v<T>) {
    return {query, key, value};
  }
};

// Vaswani et al. 2017, arXiv:1706.03762, section 3.2, without the projections around it. It reads
// nothing but a sequence's own rows: there is no mask, because there is no padding. Activations are
// of type T.
template <class T>
struct SelfAttention {
  std::int64_t heads;
  float dropout_probability;
  std::int64_t layer;
  Tokens queries = Tokens::kAll;  // whose context is computed

  struct Saved {
    Matrix<T> context;          // [R, C]
    Matrix<float> log_sum_exp;  // [R, H], of each query's scaled scores
  };
  Saved allocate(std::int64_t queries, std::int64_t width, Arena&) const;

  // saved.context.
  void forward(const QueryKeyValue<const T>&, const Saved&, Step&) const;
  // The gradients of query, key and value, laid out as these, from d_context [R, C].
  void backward(const QueryKeyValue<const T>&, const Saved&, Matrix<const T> d_context,
                const QueryKeyValue<T>& gradient, Step&) const;
};

}  // namespace tandem
