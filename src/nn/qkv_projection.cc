#include "nn/qkv_projection.h"

#include <algorithm>

#include "base/error.h"

namespace tandem {
namespace {

// Query, key and value side by side in [T, 3C].
template <class T>
QueryKeyValue<T> side_by_side(Matrix<T> qkv) {
  const std::int64_t width = qkv.cols / 3;
  return {qkv.col_range(0, width), qkv.col_range(width, 2 * width),
          qkv.col_range(2 * width, 3 * width)};
}

// Key and value side by side in [T, 2C].
template <class T>
QueryKeyValue<T> with_queries(Matrix<T> query, Matrix<T> key_value) {
  const std::int64_t width = query.cols;
  return {query, key_value.col_range(0, width), key_value.col_range(width, 2 * width)};
}

// The matrix whose first column is `first`'s: `count` parts wide.
template <class T>
Matrix<T> joined(Matrix<T> first, std::int64_t count) {
  return {first.data, first.rows, count * first.cols, first.stride};
}

// Rows [begin, end) of a parameter.
ParamSlice rows_of(const ParamSlice& slice, std::int64_t begin, std::int64_t end) {
  return {slice.offset + begin * slice.cols, end - begin, slice.cols};
}

ParamSlice columns_of_vector(const ParamSlice& slice, std::int64_t begin, std::int64_t end) {
  return {slice.offset + begin, 1, end - begin};
}

template <class T>
void gather_first_tokens(Matrix<const T> x, Matrix<T> first, Step& step) {
  step.run(first.rows, [&](std::int64_t b, int) {
    std::copy_n(x.row(step.batch.all.starts[static_cast<std::size_t>(b)]), x.cols, first.row(b));
  });
}

template <class T>
void add_to_first_tokens(Matrix<const T> d_first, Matrix<T> dx, Step& step) {
  step.run(d_first.rows, [&](std::int64_t b, int) {
    T* const row = dx.row(step.batch.all.starts[static_cast<std::size_t>(b)]);
    for (std::int64_t c = 0; c < dx.cols; ++c) {
      row[c] = round_to<T>(to_float(row[c]) + to_float(d_first.row(b)[c]));
    }
  });
}

}  // namespace

template <class T>
typename QkvProjection<T>::Split QkvProjection<T>::split() const {
  const std::int64_t width = params.weight.cols;
  return {
      .query = {{rows_of(params.weight, 0, width), columns_of_vector(params.bias, 0, width)}},
      .key_value = {{rows_of(params.weight, width, 3 * width),
                     columns_of_vector(params.bias, width, 3 * width)}},
  };
}

template <class T>
typename QkvProjection<T>::Saved QkvProjection<T>::allocate(const BatchLayout& batch,
                                                            std::int64_t width,
                                                            Arena& arena) const {
  const std::int64_t tokens = batch.all.count();
  if (queries == Tokens::kAll) {
    return {.first = {}, .parts = side_by_side(arena.matrix<T>(tokens, 3 * width))};
  }
  const std::int64_t sequences = batch.first.count();
  return {
      .first = arena.matrix<T>(sequences, width),
      .parts = with_queries(arena.matrix<T>(sequences, width), arena.matrix<T>(tokens, 2 * width))};
}

template <class T>
QueryKeyValue<T> QkvProjection<T>::allocate_gradients(const Saved& saved, Arena& arena) const {
  const Matrix<T>& query = saved.parts.query;
  const Matrix<T>& key = saved.parts.key;
  if (queries == Tokens::kAll) {
    return side_by_side(arena.matrix<T>(query.rows, 3 * query.cols));
  }
  return with_queries(arena.matrix<T>(query.rows, query.cols),
                      arena.matrix<T>(key.rows, 2 * key.cols));
}

template <class T>
std::vector<ParamSlice> QkvProjection<T>::weights() const {
  if (queries == Tokens::kAll) return {params.weight};
  const Split maps = split();
  return {maps.query.params.weight, maps.key_value.params.weight};
}

template <class T>
Matrix<const T> QkvProjection<T>::residual(Matrix<const T> x, const Saved& saved) const {
  return queries == Tokens::kAll ? x : Matrix<const T>(saved.first);
}

template <class T>
void QkvProjection<T>::forward(const LayerWeights<T>& weights, Matrix<const T> x,
                               const Saved& saved, Step& step) const {
  step.enter(Phase::kQkv, Pass::kForward);
  if (queries == Tokens::kAll) {
    Linear<T>{params}.forward(weights, x, joined(saved.parts.query, 3), step);
    return;
  }
  const Split maps = split();
  gather_first_tokens(x, saved.first, step);
  maps.query.forward(weights, saved.first, saved.parts.query, step);
  maps.key_value.forward(weights, x, joined(saved.parts.key, 2), step);
}

template <class T>
void QkvProjection<T>::backward(const LayerWeights<T>& weights, const Saved& saved,
                                Matrix<const T> x, const QueryKeyValue<T>& d_parts,
                                Matrix<T> d_residual, Matrix<T> dx, Gradients gradients,
                                Step& step) const {
  step.enter(Phase::kQkv, Pass::kBackward);
  if (queries == Tokens::kAll) {
    TANDEM_CHECK(dx.data == d_residual.data, "with all queries the gradient is added in place");
    Linear<T>{params}.backward(weights, x, joined(d_parts.query, 3), dx, InputGradient::kAdd,
                               gradients, step);
    return;
  }
  const Split maps = split();
  maps.query.backward(weights, saved.first, d_parts.query, d_residual, InputGradient::kAdd,
                      gradients, step);
  maps.key_value.backward(weights, x, joined(d_parts.key, 2), dx, InputGradient::kOverwrite,
                          gradients, step);
  add_to_first_tokens<T>(d_residual, dx, step);
}

template struct QkvProjection<float>;
template struct QkvProjection<BFloat16>;

}  // namespace tandem
