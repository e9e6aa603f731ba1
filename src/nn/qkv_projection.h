#pragma once
// Queries, keys and values from a layer's input: the three projections before attention.

#include <vector>

#include "nn/attention.h"
#include "nn/linear.h"
#include "nn/params.h"
#include "nn/step.h"

namespace tandem {

// Vaswani et al. 2017, arXiv:1706.03762, section 3.2.2, as one product. Where the queries of first
// tokens alone are wanted, keys and values are one product and the queries another. Activations are
// of type T.
template <class T>
struct QkvProjection {
  LinearParams params;  // [3C, C]: query's rows, key's, value's
  Tokens queries = Tokens::kAll;

  struct Saved {
    Matrix<T> first;         // [B, C], the first tokens' input; empty with all queries
    QueryKeyValue<T> parts;  // of [T, 3C]; or queries [B, C] and the other two of [T, 2C]
  };
  Saved allocate(const BatchLayout&, std::int64_t width, Arena&) const;

  // The rows of x that belong to the queries: what the residual connection adds.
  Matrix<const T> residual(Matrix<const T> x, const Saved&) const;
  // saved.parts from x [T, C].
  void forward(const LayerWeights<T>&, Matrix<const T> x, const Saved&, Step&) const;
  // dx [T, C] from the gradients of the parts and `d_residual` [R, C], that of residual(x), which
  // is overwritten; with all queries dx and d_residual are the same memory.
  void backward(const LayerWeights<T>&, const Saved&, Matrix<const T> x,
                const QueryKeyValue<T>& d_parts, Matrix<T> d_residual, Matrix<T> dx, Gradients,
                Step&) const;
  // The weights of its products, each as forward uses it.
  std::vector<ParamSlice> weights() const;
  // Memory for the gradients of the parts, laid out as these.
  QueryKeyValue<T> allocate_gradients(const Saved&, Arena&) const;

 private:
  struct Split {
    Linear<T> query, key_value;
  };
  Split split() const;
};

}  // namespace tandem
