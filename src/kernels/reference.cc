// Plain loops with double accumulators: the oracle that the fast kernels are tested against, and
// what runs where neither AVX2 nor AVX-512 is to be had.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/philox.h"
#include "kernels/dispatch.h"

namespace tandem::kernels {
namespace {

std::int64_t round_up_64(std::int64_t n) { return (n + 63) / 64 * 64; }

// 0 for an element that dropout removes, else the factor that keeps the expectation.
double keep_factor(const DropoutKey& key, std::uint32_t sample, std::int64_t element) {
  if (key.threshold == 0) return 1;
  const std::int64_t in_group = element % 64;
  const auto block = static_cast<std::uint32_t>(element / 64 * 16 + in_group % 16);
  const auto words = philox4x32({block, sample, key.step, key.site}, {key.seed[0], key.seed[1]});
  return words[static_cast<std::size_t>(in_group / 16)] >= key.threshold ? double{key.scale} : 0;
}

double keep_factor(const DropoutKey& key, TokenRows tokens, std::int64_t row, std::int64_t cols,
                   std::int64_t col) {
  if (key.threshold == 0) return 1;
  return keep_factor(key, tokens.sample[row], tokens.position[row] * round_up_64(cols) + col);
}

float to_float(double x) { return static_cast<float>(x); }

constexpr std::int64_t kPanelColumns = 16;

void pack_panel(const Operand& b, std::int64_t k, std::int64_t n, std::int64_t panel,
                float* packed) {
  for (std::int64_t l = 0; l < k; ++l) {
    for (std::int64_t c = 0; c < kPanelColumns; ++c) {
      const std::int64_t column = panel * kPanelColumns + c;
      packed[l * kPanelColumns + c] =
          column < n ? b.data[l * b.row_stride + column * b.column_stride] : 0;
    }
  }
}

void multiply_panels(const PanelProduct& p) {
  for (std::int64_t r = 0; r < p.extent.rows; ++r) {
    for (std::int64_t c = 0; c < p.extent.cols; ++c) {
      const float* const panel = p.panels + c / kPanelColumns * kPanelColumns * p.k;
      float& element = p.c[r * p.extent.stride + c];
      double sum = p.accumulate ? double{element} : 0;
      for (std::int64_t l = 0; l < p.k; ++l) {
        sum += double{p.a.data[r * p.a.row_stride + l * p.a.column_stride]} *
               double{panel[l * kPanelColumns + c % kPanelColumns]};
      }
      element = to_float(sum);
    }
  }
}

void quantize_rows(const float* x, const Extent& e, std::uint8_t* quantized, float* scale) {
  for (std::int64_t r = 0; r < e.rows; ++r) {
    const float* const row = x + r * e.stride;
    float largest = 0;
    float sum = 0;
    for (std::int64_t c = 0; c < e.cols; ++c) {
      largest = std::max(largest, std::abs(row[c]));
      sum += std::abs(row[c]);
    }
    const QuantizedScale scales = scale_of_row(largest, sum);
    scale[r] = scales.scale;
    for (std::int64_t c = 0; c < e.cols; ++c) {
      const float value = scales.inverse == 0 ? 0 : row[c] * scales.inverse;
      quantized[r * e.cols + c] =
          static_cast<std::uint8_t>(std::nearbyint(value + float{kQuantizedZero}));
    }
  }
}

void dequantize_tile(const std::int32_t* sums, const float* row_scale, const float* column_scale,
                     const std::int32_t* column_offset, const Extent& e, float* y) {
  for (std::int64_t r = 0; r < e.rows; ++r) {
    for (std::int64_t c = 0; c < e.cols; ++c) {
      y[r * e.stride + c] = static_cast<float>(sums[r * e.cols + c] - column_offset[c]) *
                            (row_scale[r] * column_scale[c]);
    }
  }
}

void add_bias(float* x, const float* bias, const Extent& e) {
  for (std::int64_t r = 0; r < e.rows; ++r) {
    for (std::int64_t c = 0; c < e.cols; ++c) x[r * e.stride + c] += bias[c];
  }
}

void add_column_sums(const float* x, const Extent& e, float* sum) {
  for (std::int64_t c = 0; c < e.cols; ++c) {
    double total = sum[c];
    for (std::int64_t r = 0; r < e.rows; ++r) total += double{x[r * e.stride + c]};
    sum[c] = to_float(total);
  }
}

void add(const float* x, std::int64_t count, float* y) {
  for (std::int64_t i = 0; i < count; ++i) y[i] += x[i];
}

double sum_of_squares(const float* x, std::int64_t count) {
  double total = 0;
  for (std::int64_t i = 0; i < count; ++i) total += double{x[i]} * double{x[i]};
  return total;
}

double normal_distribution(double x) { return 0.5 * std::erfc(-x * std::numbers::sqrt2 / 2); }

double normal_density(double x) {
  return std::exp(-x * x / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
}

void bias_gelu_forward(float* x, const float* bias, const Extent& e, float* y) {
  add_bias(x, bias, e);
  for (std::int64_t r = 0; r < e.rows; ++r) {
    for (std::int64_t c = 0; c < e.cols; ++c) {
      const double value = x[r * e.stride + c];
      y[r * e.stride + c] = to_float(value * normal_distribution(value));
    }
  }
}

void gelu_backward(const float* x, const Extent& e, float* gradient, float* y, float* d_bias) {
  for (std::int64_t r = 0; r < e.rows; ++r) {
    for (std::int64_t i = r * e.stride; i < r * e.stride + e.cols; ++i) {
      const double value = x[i];
      const double distribution = normal_distribution(value);
      gradient[i] = to_float(gradient[i] * (distribution + value * normal_density(value)));
      y[i] = to_float(value * distribution);
    }
  }
  add_column_sums(gradient, e, d_bias);
}

void dropout(const DropoutKey& key, TokenRows tokens, const Extent& e, float* x) {
  for (std::int64_t r = 0; r < e.rows; ++r) {
    for (std::int64_t c = 0; c < e.cols; ++c) {
      float& element = x[r * e.stride + c];
      element = to_float(element * keep_factor(key, tokens, r, e.cols, c));
    }
  }
}

void residual_norm_forward(const ResidualNormForward& a, const DropoutKey& key, const Extent& e) {
  const std::int64_t cols = e.cols;
  for (std::int64_t r = 0; r < e.rows; ++r) {
    const std::int64_t at = r * e.stride;
    const auto sum = [&](std::int64_t c) {
      const double bias = a.bias == nullptr ? 0 : a.bias[c];
      const double residual = a.residual == nullptr ? 0 : a.residual[at + c];
      return residual + (a.x[at + c] + bias) * keep_factor(key, a.tokens, r, cols, c);
    };
    double mean = 0;
    for (std::int64_t c = 0; c < cols; ++c) mean += sum(c) / static_cast<double>(cols);
    double variance = 0;
    for (std::int64_t c = 0; c < cols; ++c) {
      variance += (sum(c) - mean) * (sum(c) - mean) / static_cast<double>(cols);
    }
    const double rstd = 1 / std::sqrt(variance + double{a.epsilon});
    a.rstd[r] = to_float(rstd);
    for (std::int64_t c = 0; c < cols; ++c) {
      const double normalized = (sum(c) - mean) * rstd;
      a.normalized[at + c] = to_float(normalized);
      a.y[at + c] = to_float(normalized * a.gamma[c] + a.beta[c]);
    }
  }
}

void residual_norm_backward(const ResidualNormBackward& a, const DropoutKey& key, const Extent& e) {
  const std::int64_t cols = e.cols;
  for (std::int64_t r = 0; r < e.rows; ++r) {
    const std::int64_t at = r * e.stride;
    double mean_d = 0;   // mean of d normalized
    double mean_dn = 0;  // mean of d normalized * normalized
    for (std::int64_t c = 0; c < cols; ++c) {
      const double d = double{a.dy[at + c]} * a.gamma[c];
      mean_d += d / static_cast<double>(cols);
      mean_dn += d * a.normalized[at + c] / static_cast<double>(cols);
    }
    for (std::int64_t c = 0; c < cols; ++c) {
      const double dy = a.dy[at + c];
      const double normalized = a.normalized[at + c];
      const double dsum = a.rstd[r] * (dy * a.gamma[c] - mean_d - normalized * mean_dn);
      a.d_gamma[c] += to_float(dy * normalized);
      a.d_beta[c] += to_float(dy);
      a.dsum[at + c] = to_float(dsum);
      if (a.dx == nullptr) continue;
      const double dx = dsum * keep_factor(key, a.tokens, r, cols, c);
      a.dx[at + c] = to_float(dx);
      a.d_bias[c] += to_float(dx);
    }
  }
}

void scale_and_shift(const float* normalized, const float* gamma, const float* beta,
                     const Extent& e, float* y) {
  for (std::int64_t r = 0; r < e.rows; ++r) {
    for (std::int64_t c = 0; c < e.cols; ++c) {
      y[r * e.stride + c] = normalized[r * e.stride + c] * gamma[c] + beta[c];
    }
  }
}

double dot(const float* a, const float* b, std::int64_t count) {
  double total = 0;
  for (std::int64_t i = 0; i < count; ++i) total += double{a[i]} * double{b[i]};
  return total;
}

double keep_factor(const AttentionHead& h, std::int64_t query, std::int64_t key) {
  const std::int64_t row = h.head * h.tokens + query;
  return keep_factor(h.dropout, h.sample, row * round_up_64(h.tokens) + key);
}

double score(const AttentionHead& h, std::int64_t query, std::int64_t key) {
  return h.scale * dot(h.query + query * h.query_stride, h.key + key * h.key_value_stride, h.width);
}

void attention_forward(const AttentionHead& h, float* context, std::int64_t context_stride,
                       float* log_sum_exp, std::int64_t log_sum_exp_stride) {
  for (std::int64_t i = 0; i < h.queries; ++i) {
    double highest = score(h, i, 0);
    for (std::int64_t j = 1; j < h.tokens; ++j) highest = std::max(highest, score(h, i, j));
    double sum = 0;
    for (std::int64_t j = 0; j < h.tokens; ++j) sum += std::exp(score(h, i, j) - highest);
    const double log_sum = highest + std::log(sum);
    log_sum_exp[i * log_sum_exp_stride] = to_float(log_sum);
    for (std::int64_t d = 0; d < h.width; ++d) {
      double total = 0;
      for (std::int64_t j = 0; j < h.tokens; ++j) {
        total += std::exp(score(h, i, j) - log_sum) * keep_factor(h, i, j) *
                 h.value[j * h.key_value_stride + d];
      }
      context[i * context_stride + d] = to_float(total);
    }
  }
}

void attention_backward(const AttentionHead& h, const float* context, const float* d_context,
                        std::int64_t context_stride, const float* log_sum_exp,
                        std::int64_t log_sum_exp_stride, float* d_query, float* d_key,
                        float* d_value) {
  for (std::int64_t i = 0; i < h.tokens; ++i) {
    std::fill_n(d_key + i * h.key_value_stride, h.width, 0.0F);
    std::fill_n(d_value + i * h.key_value_stride, h.width, 0.0F);
  }
  for (std::int64_t i = 0; i < h.queries; ++i) {
    std::fill_n(d_query + i * h.query_stride, h.width, 0.0F);
    const float* const d_out = d_context + i * context_stride;
    const double delta = dot(d_out, context + i * context_stride, h.width);
    for (std::int64_t j = 0; j < h.tokens; ++j) {
      const double keep = keep_factor(h, i, j);
      const double probability =
          std::exp(score(h, i, j) - double{log_sum_exp[i * log_sum_exp_stride]});
      const double d_probability = dot(d_out, h.value + j * h.key_value_stride, h.width) * keep;
      const double d_score = probability * (d_probability - delta) * h.scale;
      for (std::int64_t d = 0; d < h.width; ++d) {
        d_query[i * h.query_stride + d] += to_float(d_score * h.key[j * h.key_value_stride + d]);
        d_key[j * h.key_value_stride + d] += to_float(d_score * h.query[i * h.query_stride + d]);
        d_value[j * h.key_value_stride + d] += to_float(probability * keep * d_out[d]);
      }
    }
  }
}

void adamw(const AdamWUpdate& u, std::int64_t count, const float* gradient, float* weight,
           float* moment1, float* moment2) {
  for (std::int64_t i = 0; i < count; ++i) {
    const double g = double{gradient[i]} * u.gradient_scale;
    const double m = u.beta1 * double{moment1[i]} + u.one_minus_beta1 * g;
    const double v = u.beta2 * double{moment2[i]} + u.one_minus_beta2 * g * g;
    moment1[i] = to_float(m);
    moment2[i] = to_float(v);
    const double denominator = std::sqrt(v) * u.inverse_sqrt_correction2 + u.epsilon;
    weight[i] = to_float(double{weight[i]} * u.decay_factor - u.step_size * m / denominator);
  }
}

}  // namespace

const Table& reference_table() {
  static constexpr Table kTable = {
      .name = "reference",
      .panel_columns = kPanelColumns,
      .pack_panel = pack_panel,
      .multiply_panels = multiply_panels,
      .quantize_rows = quantize_rows,
      .dequantize_tile = dequantize_tile,
      .add_bias = add_bias,
      .add_column_sums = add_column_sums,
      .add = add,
      .sum_of_squares = sum_of_squares,
      .bias_gelu_forward = bias_gelu_forward,
      .gelu_backward = gelu_backward,
      .dropout = dropout,
      .residual_norm_forward = residual_norm_forward,
      .residual_norm_backward = residual_norm_backward,
      .scale_and_shift = scale_and_shift,
      .attention_forward = attention_forward,
      .attention_backward = attention_backward,
      .adamw = adamw,
  };
  return kTable;
}

}  // namespace tandem::kernels
