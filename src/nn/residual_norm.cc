#include "nn/residual_norm.h"

#include <optional>

#include "nn/column_sums.h"

namespace tandem {
namespace {

template <class T>
T* row_or_null(Matrix<T> matrix, std::int64_t row) {
  return matrix.data == nullptr ? nullptr : matrix.row(row);
}

struct NormDropout {
  const TokenRows& rows;
  kernels::DropoutKey key;
};

// `bias` and `residual` may be null.
template <class T>
void norm_forward(const LayerNorm<T>& layer, const float* bias, const NormDropout& dropout,
                  const LayerWeights<T>& weights, Matrix<const T> x, Matrix<const T> residual,
                  Matrix<T> y, const typename ResidualNorm<T>::Saved& saved, Step& step) {
  const ArenaScope scope(step.arena);
  const std::span<float> workspaces = step.arena.vector<float>(step.pool.size() * x.cols);
  const float* const gamma = weights.vector(layer.norm.gamma).data();
  const float* const beta = weights.vector(layer.norm.beta).data();
  step.run_row_blocks(x.rows, [&](std::int64_t begin, std::int64_t end, int worker) {
    step.kernels.of<T>().residual_norm_forward({.x = x.row(begin),
                                                .bias = bias,
                                                .residual = row_or_null(residual, begin),
                                                .tokens = dropout.rows.from(begin),
                                                .gamma = gamma,
                                                .beta = beta,
                                                .epsilon = layer.epsilon,
                                                .normalized = row_or_null(saved.normalized, begin),
                                                .rstd = saved.rstd.data() + begin,
                                                .y = y.row(begin),
                                                .workspace = workspaces.data() + worker * x.cols},
                                               dropout.key, extent_of(x, begin, end));
  });
}

// `bias` is null and `dx` empty for a LayerNorm without what comes before it.
template <class T>
void norm_backward(const LayerNormParams& norm, const ParamSlice* bias, const NormDropout& dropout,
                   const LayerWeights<T>& weights, const typename ResidualNorm<T>::Saved& saved,
                   Matrix<const T> dy, Matrix<T> dsum, Matrix<T> dx, Gradients gradients,
                   Step& step) {
  const ArenaScope scope(step.arena);
  ColumnSums d_gamma(dy.rows, dy.cols, step);
  ColumnSums d_beta(dy.rows, dy.cols, step);
  std::optional<ColumnSums> d_bias;
  if (bias != nullptr) d_bias.emplace(dy.rows, dy.cols, step);
  const float* const gamma = weights.vector(norm.gamma).data();
  step.run_row_blocks(dy.rows, [&](std::int64_t begin, std::int64_t end, int) {
    step.kernels.of<T>().residual_norm_backward(
        {.dy = dy.row(begin),
         .normalized = saved.normalized.row(begin),
         .rstd = saved.rstd.data() + begin,
         .gamma = gamma,
         .tokens = dropout.rows.from(begin),
         .dsum = dsum.row(begin),
         .dx = row_or_null(dx, begin),
         .d_gamma = d_gamma.begin_block(begin),
         .d_beta = d_beta.begin_block(begin),
         .d_bias = d_bias ? d_bias->begin_block(begin) : nullptr},
        dropout.key, extent_of(dy, begin, end));
  });
  d_gamma.reduce_into(gradients.vector(norm.gamma), step);
  d_beta.reduce_into(gradients.vector(norm.beta), step);
  if (bias != nullptr) d_bias->reduce_into(gradients.vector(*bias), step);
}

}  // namespace

template <class T>
typename ResidualNorm<T>::Saved ResidualNorm<T>::allocate(std::int64_t rows, std::int64_t width,
                                                          const Step& step) {
  Saved saved;
  if (step.backward_follows) saved.normalized = step.arena.matrix<T>(rows, width);
  saved.rstd = step.arena.vector<float>(rows);
  return saved;
}

template <class T>
void ResidualNorm<T>::forward(const LayerWeights<T>& weights, Matrix<const T> x,
                              Matrix<const T> residual, Matrix<T> y, const Saved& saved,
                              Step& step) const {
  step.enter<T>(Phase::kLayerNorm, Pass::kForward, 4 * x.rows * x.cols);
  norm_forward<T>({norm, epsilon}, weights.vector(bias).data(),
                  {step.batch.rows(tokens), step.dropout.key(dropout_probability, site, layer)},
                  weights, x, residual, y, saved, step);
}

template <class T>
void ResidualNorm<T>::recompute_output(const LayerWeights<T>& weights, const Saved& saved,
                                       Matrix<T> y, Step& step) const {
  step.enter<T>(Phase::kLayerNorm, Pass::kBackward, 2 * y.rows * y.cols);
  const float* const gamma = weights.vector(norm.gamma).data();
  const float* const beta = weights.vector(norm.beta).data();
  step.run_row_blocks(y.rows, [&](std::int64_t begin, std::int64_t end, int) {
    step.kernels.of<T>().scale_and_shift(saved.normalized.row(begin), gamma, beta,
                                         extent_of(y, begin, end), y.row(begin));
  });
}

template <class T>
void ResidualNorm<T>::backward(const LayerWeights<T>& weights, const Saved& saved,
                               Matrix<const T> dy, Matrix<T> d_residual, Matrix<T> dx,
                               Gradients gradients, Step& step) const {
  step.enter<T>(Phase::kLayerNorm, Pass::kBackward, 4 * dy.rows * dy.cols);
  norm_backward(norm, &bias,
                {step.batch.rows(tokens), step.dropout.key(dropout_probability, site, layer)},
                weights, saved, dy, d_residual, dx, gradients, step);
}

template <class T>
void LayerNorm<T>::forward(const LayerWeights<T>& weights, Matrix<const T> x, Matrix<T> y,
                           const Saved& saved, Step& step) const {
  norm_forward<T>(*this, nullptr, {step.batch.all, {}}, weights, x, {}, y, saved, step);
}

template <class T>
void LayerNorm<T>::backward(const LayerWeights<T>& weights, const Saved& saved, Matrix<const T> dy,
                            Matrix<T> dx, Gradients gradients, Step& step) const {
  norm_backward<T>(norm, nullptr, {step.batch.all, {}}, weights, saved, dy, dx, {}, gradients,
                   step);
}

template struct ResidualNorm<float>;
template struct ResidualNorm<BFloat16>;
template struct LayerNorm<float>;
template struct LayerNorm<BFloat16>;

}  // namespace tandem
