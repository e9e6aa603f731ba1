#include "nn/qkv_projection.h"

#include <algorithm>

#include "base/error.h"

namespace tandem {
namespace {

// Query, key and value side by side in [T, 3C].
QueryKeyValue<float> side_by_side(Matrix<float> qkv) {
  const std::int64_t width = qkv.cols / 3;
  return {qkv.col_range(0, width), qkv.col_range(width, 2 * width),
          qkv.col_range(2 * width, 3 * width)};
}

// Key and value side by side in [T, 2C].
QueryKeyValue<float> with_queries(Matrix<float> query, Matrix<float> key_value) {
  const std::int64_t width = query.cols;
  return {query, key_value.col_range(0, width), key_value.col_range(width, 2 * width)};
}

// The matrix whose first column is `first`'s: `count` parts wide.
Matrix<float> joined(Matrix<float> first, std::int64_t count) {
  return {first.data, first.rows, count * first.cols, first.stride};
}

// Rows [begin, end) of a parameter.
ParamSlice rows_of(const ParamSlice& slice, std::int64_t begin, std::int64_t end) {
  return {slice.offset + begin * slice.cols, end - begin, slice.cols};
}

ParamSlice columns_of_vector(const ParamSlice& slice, std::int64_t begin, std::int64_t end) {
  return {slice.offset + begin, 1, end - begin};
}

void gather_first_tokens(Matrix<const float> x, Matrix<float> first, Step& step) {
  step.run(first.rows, [&](std::int64_t b, int) {
    std::copy_n(x.row(step.batch.all.starts[static_cast<std::size_t>(b)]), x.cols, first.row(b));
  });
}

void add_to_first_tokens(Matrix<const float> d_first, Matrix<float> dx, Step& step) {
  step.run(d_first.rows, [&](std::int64_t b, int) {
    step.kernels.add(d_first.row(b), dx.cols,
                     dx.row(step.batch.all.starts[static_cast<std::size_t>(b)]));
  });
}

}  // namespace

QkvProjection::Split QkvProjection::split() const {
  const std::int64_t width = params.weight.cols;
  return {
      .query = {rows_of(params.weight, 0, width), columns_of_vector(params.bias, 0, width)},
      .key_value = {rows_of(params.weight, width, 3 * width),
                    columns_of_vector(params.bias, width, 3 * width)},
  };
}

QkvProjection::Saved QkvProjection::allocate(const BatchLayout& batch, std::int64_t width,
                                             Arena& arena) const {
  const std::int64_t tokens = batch.all.count();
  if (queries == Tokens::kAll) {
    return {.first = {}, .parts = side_by_side(arena.matrix<float>(tokens, 3 * width))};
  }
  const std::int64_t sequences = batch.first.count();
  return {.first = arena.matrix<float>(sequences, width),
          .parts = with_queries(arena.matrix<float>(sequences, width),
                                arena.matrix<float>(tokens, 2 * width))};
}

QueryKeyValue<float> QkvProjection::allocate_gradients(const Saved& saved, Arena& arena) const {
  const Matrix<float>& query = saved.parts.query;
  const Matrix<float>& key = saved.parts.key;
  if (queries == Tokens::kAll) {
    return side_by_side(arena.matrix<float>(query.rows, 3 * query.cols));
  }
  return with_queries(arena.matrix<float>(query.rows, query.cols),
                      arena.matrix<float>(key.rows, 2 * key.cols));
}

std::vector<ParamSlice> QkvProjection::weights() const {
  if (queries == Tokens::kAll) return {params.weight};
  const Split maps = split();
  return {maps.query.weight, maps.key_value.weight};
}

Matrix<const float> QkvProjection::residual(Matrix<const float> x, const Saved& saved) const {
  return queries == Tokens::kAll ? x : Matrix<const float>(saved.first);
}

void QkvProjection::forward(Weights weights, Matrix<const float> x, const Saved& saved,
                            Step& step) const {
  step.enter(Phase::kQkv, Pass::kForward);
  if (queries == Tokens::kAll) {
    linear_forward(params, weights, x, joined(saved.parts.query, 3), step);
    return;
  }
  const Split maps = split();
  gather_first_tokens(x, saved.first, step);
  linear_forward(maps.query, weights, saved.first, saved.parts.query, step);
  linear_forward(maps.key_value, weights, x, joined(saved.parts.key, 2), step);
}

void QkvProjection::backward(Weights weights, const Saved& saved, Matrix<const float> x,
                             const QueryKeyValue<float>& d_parts, Matrix<float> d_residual,
                             Matrix<float> dx, Gradients gradients, Step& step) const {
  step.enter(Phase::kQkv, Pass::kBackward);
  if (queries == Tokens::kAll) {
    TANDEM_CHECK(dx.data == d_residual.data, "with all queries the gradient is added in place");
    linear_backward(params, weights, x, joined(d_parts.query, 3), dx, InputGradient::kAdd,
                    gradients, step);
    return;
  }
  const Split maps = split();
  linear_backward(maps.query, weights, saved.first, d_parts.query, d_residual, InputGradient::kAdd,
                  gradients, step);
  linear_backward(maps.key_value, weights, x, joined(d_parts.key, 2), dx, InputGradient::kOverwrite,
                  gradients, step);
  add_to_first_tokens(d_residual, dx, step);
}

}  // namespace tandem
