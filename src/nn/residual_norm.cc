#include "nn/residual_norm.h"

#include "nn/column_sums.h"

namespace tandem {
namespace {

const float* row_or_null(Matrix<const float> matrix, std::int64_t row) {
  return matrix.data == nullptr ? nullptr : matrix.row(row);
}

struct NormDropout {
  const TokenRows& rows;
  kernels::DropoutKey key;
};

// `bias` and `residual` may be null.
void norm_forward(const LayerNormParams& norm, float epsilon, const float* bias,
                  const NormDropout& dropout, Weights weights, Matrix<const float> x,
                  Matrix<const float> residual, Matrix<float> y, const ResidualNorm::Saved& saved,
                  Step& step) {
  const float* const gamma = weights.vector(norm.gamma).data();
  const float* const beta = weights.vector(norm.beta).data();
  const Matrix<float> normalized = saved.normalized.data == nullptr ? y : saved.normalized;
  step.run_row_blocks(x.rows, [&](std::int64_t begin, std::int64_t end) {
    step.kernels.residual_norm_forward({.x = x.row(begin),
                                        .bias = bias,
                                        .residual = row_or_null(residual, begin),
                                        .tokens = dropout.rows.from(begin),
                                        .gamma = gamma,
                                        .beta = beta,
                                        .epsilon = epsilon,
                                        .normalized = normalized.row(begin),
                                        .rstd = saved.rstd.data() + begin,
                                        .y = y.row(begin)},
                                       dropout.key, extent_of(x, begin, end));
  });
}

// `bias` is null and `dx` empty for a LayerNorm without what comes before it.
void norm_backward(const LayerNormParams& norm, const ParamSlice* bias, const NormDropout& dropout,
                   Weights weights, const ResidualNorm::Saved& saved, Matrix<const float> dy,
                   Matrix<float> dsum, Matrix<float> dx, Gradients gradients, Step& step) {
  const ArenaScope scope(step.arena);
  ColumnSums d_gamma(dy.rows, dy.cols, step);
  ColumnSums d_beta(dy.rows, dy.cols, step);
  ColumnSums d_bias(dy.rows, dy.cols, step);
  const float* const gamma = weights.vector(norm.gamma).data();
  step.run_row_blocks(dy.rows, [&](std::int64_t begin, std::int64_t end) {
    step.kernels.residual_norm_backward({.dy = dy.row(begin),
                                         .normalized = saved.normalized.row(begin),
                                         .rstd = saved.rstd.data() + begin,
                                         .gamma = gamma,
                                         .tokens = dropout.rows.from(begin),
                                         .dsum = dsum.row(begin),
                                         .dx = dx.data == nullptr ? nullptr : dx.row(begin),
                                         .d_gamma = d_gamma.begin_block(begin),
                                         .d_beta = d_beta.begin_block(begin),
                                         .d_bias = d_bias.begin_block(begin)},
                                        dropout.key, extent_of(dy, begin, end));
  });
  d_gamma.reduce_into(gradients.vector(norm.gamma), step);
  d_beta.reduce_into(gradients.vector(norm.beta), step);
  if (bias != nullptr) d_bias.reduce_into(gradients.vector(*bias), step);
}

}  // namespace

ResidualNorm::Saved ResidualNorm::allocate(std::int64_t rows, std::int64_t width,
                                           const Step& step) {
  Saved saved;
  if (step.backward_follows) saved.normalized = step.arena.matrix<float>(rows, width);
  saved.rstd = step.arena.vector<float>(rows);
  return saved;
}

void ResidualNorm::forward(Weights weights, Matrix<const float> x, Matrix<const float> residual,
                           Matrix<float> y, const Saved& saved, Step& step) const {
  step.enter(Phase::kLayerNorm, Pass::kForward, 4 * x.rows * x.cols);
  norm_forward(norm, epsilon, weights.vector(bias).data(),
               {step.batch.rows(tokens), step.dropout.key(dropout_probability, site, layer)},
               weights, x, residual, y, saved, step);
}

void ResidualNorm::recompute_output(Weights weights, const Saved& saved, Matrix<float> y,
                                    Step& step) const {
  step.enter(Phase::kLayerNorm, Pass::kBackward, 2 * y.rows * y.cols);
  const float* const gamma = weights.vector(norm.gamma).data();
  const float* const beta = weights.vector(norm.beta).data();
  step.run_row_blocks(y.rows, [&](std::int64_t begin, std::int64_t end) {
    step.kernels.scale_and_shift(saved.normalized.row(begin), gamma, beta, extent_of(y, begin, end),
                                 y.row(begin));
  });
}

void ResidualNorm::backward(Weights weights, const Saved& saved, Matrix<const float> dy,
                            Matrix<float> d_residual, Matrix<float> dx, Gradients gradients,
                            Step& step) const {
  step.enter(Phase::kLayerNorm, Pass::kBackward, 4 * dy.rows * dy.cols);
  norm_backward(norm, &bias,
                {step.batch.rows(tokens), step.dropout.key(dropout_probability, site, layer)},
                weights, saved, dy, d_residual, dx, gradients, step);
}

void layer_norm_forward(const LayerNormParams& norm, float epsilon, Weights weights,
                        Matrix<const float> x, Matrix<float> y, const ResidualNorm::Saved& saved,
                        Step& step) {
  norm_forward(norm, epsilon, nullptr, {step.batch.all, {}}, weights, x, {}, y, saved, step);
}

void layer_norm_backward(const LayerNormParams& norm, Weights weights,
                         const ResidualNorm::Saved& saved, Matrix<const float> dy, Matrix<float> dx,
                         Gradients gradients, Step& step) {
  norm_backward(norm, nullptr, {step.batch.all, {}}, weights, saved, dy, dx, {}, gradients, step);
}

}  // namespace tandem
