// Plain loops with double accumulators: the oracle that the fast kernels are tested against, and
// what runs where neither AVX2 nor AVX-512 is to be had. A result is turned from double to float
// and from there to its type, as the fast kernels round.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/dispatch.h"
#include "kernels/reference_parts.h"

namespace tandem::kernels {
namespace {

using reference::keep_factor;
using reference::round_up_64;
using reference::rounded;
using reference::to_double;

constexpr std::int64_t kPanelColumns = 16;

template <class T>
void pack_panel(const Operand<T>& b, std::int64_t k, std::int64_t n, std::int64_t panel,
                float* packed) {
  for (std::int64_t l = 0; l < k; ++l) {
    for (std::int64_t c = 0; c < kPanelColumns; ++c) {
      const std::int64_t column = panel * kPanelColumns + c;
      packed[l * kPanelColumns + c] =
          column < n ? to_float(b.data[l * b.row_stride + column * b.column_stride]) : 0;
    }
  }
}

template <class T>
void multiply_panels(const PanelProduct<T>& p) {
  for (std::int64_t r = 0; r < p.extent.rows; ++r) {
    for (std::int64_t c = 0; c < p.extent.cols; ++c) {
      const float* const panel = p.panels + c / kPanelColumns * kPanelColumns * p.k;
      float& element = p.c[r * p.extent.stride + c];
      double sum = p.accumulate ? double{element} : 0;
      for (std::int64_t l = 0; l < p.k; ++l) {
        sum += to_double(p.a.data[r * p.a.row_stride + l * p.a.column_stride]) *
               double{panel[l * kPanelColumns + c % kPanelColumns]};
      }
      element = rounded<float>(sum);
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

template <class T>
void add_bias(const Sums& sums, const float* bias, const Extent& e, T* y) {
  for (std::int64_t r = 0; r < e.rows; ++r) {
    for (std::int64_t c = 0; c < e.cols; ++c) {
      y[r * e.stride + c] = round_to<T>(sums.data[r * sums.stride + c] + bias[c]);
    }
  }
}

void widen(const BFloat16* x, std::int64_t count, float* y) {
  for (std::int64_t i = 0; i < count; ++i) y[i] = to_float(x[i]);
}

void store_sums(const Sums& sums, const Extent& e, bool accumulate, BFloat16* y) {
  for (std::int64_t r = 0; r < e.rows; ++r) {
    for (std::int64_t c = 0; c < e.cols; ++c) {
      BFloat16& element = y[r * e.stride + c];
      const float sum = sums.data[r * sums.stride + c];
      element = round_to<BFloat16>(accumulate ? to_float(element) + sum : sum);
    }
  }
}

template <class T>
void add_column_sums(const T* x, const Extent& e, float* sum) {
  for (std::int64_t c = 0; c < e.cols; ++c) {
    double total = sum[c];
    for (std::int64_t r = 0; r < e.rows; ++r) total += to_double(x[r * e.stride + c]);
    sum[c] = rounded<float>(total);
  }
}

template <class T>
void add(const T* x, std::int64_t count, float* y) {
  for (std::int64_t i = 0; i < count; ++i) y[i] += to_float(x[i]);
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

template <class T>
void bias_gelu_forward(const Sums& sums, const float* bias, const Extent& e, T* x, T* y) {
  for (std::int64_t r = 0; r < e.rows; ++r) {
    for (std::int64_t c = 0; c < e.cols; ++c) {
      const auto stored = round_to<T>(sums.data[r * sums.stride + c] + bias[c]);
      const double value = to_double(stored);
      if (x != nullptr) x[r * e.stride + c] = stored;
      y[r * e.stride + c] = rounded<T>(value * normal_distribution(value));
    }
  }
}

template <class T>
void gelu_backward(const T* x, const Extent& e, T* gradient, T* y, float* d_bias) {
  for (std::int64_t c = 0; c < e.cols; ++c) {
    double sum = d_bias[c];
    for (std::int64_t r = 0; r < e.rows; ++r) {
      const std::int64_t i = r * e.stride + c;
      const double value = to_double(x[i]);
      const double distribution = normal_distribution(value);
      const auto dx =
          rounded<float>(to_double(gradient[i]) * (distribution + value * normal_density(value)));
      gradient[i] = round_to<T>(dx);
      y[i] = rounded<T>(value * distribution);
      sum += double{dx};
    }
    d_bias[c] = rounded<float>(sum);
  }
}

double keep_factor(const DropoutKey& key, TokenRows tokens, std::int64_t row, std::int64_t cols,
                   std::int64_t col) {
  if (key.threshold == 0) return 1;
  return keep_factor(key, tokens.sample[row], tokens.position[row] * round_up_64(cols) + col);
}

template <class T>
void dropout(const DropoutKey& key, TokenRows tokens, const Extent& e, T* x) {
  for (std::int64_t r = 0; r < e.rows; ++r) {
    for (std::int64_t c = 0; c < e.cols; ++c) {
      T& element = x[r * e.stride + c];
      element = rounded<T>(to_double(element) * keep_factor(key, tokens, r, e.cols, c));
    }
  }
}

template <class T>
void residual_norm_forward(const ResidualNormForward<T>& a, const DropoutKey& key,
                           const Extent& e) {
  const std::int64_t cols = e.cols;
  for (std::int64_t r = 0; r < e.rows; ++r) {
    const std::int64_t at = r * e.stride;
    const auto sum = [&](std::int64_t c) {
      const double bias = a.bias == nullptr ? 0 : a.bias[c];
      const double residual = a.residual == nullptr ? 0 : to_double(a.residual[at + c]);
      return residual + (to_double(a.x[at + c]) + bias) * keep_factor(key, a.tokens, r, cols, c);
    };
    double mean = 0;
    for (std::int64_t c = 0; c < cols; ++c) mean += sum(c) / static_cast<double>(cols);
    double variance = 0;
    for (std::int64_t c = 0; c < cols; ++c) {
      variance += (sum(c) - mean) * (sum(c) - mean) / static_cast<double>(cols);
    }
    const double rstd = 1 / std::sqrt(variance + double{a.epsilon});
    a.rstd[r] = rounded<float>(rstd);
    for (std::int64_t c = 0; c < cols; ++c) {
      const auto normalized = rounded<T>((sum(c) - mean) * rstd);
      if (a.normalized != nullptr) a.normalized[at + c] = normalized;
      a.y[at + c] = rounded<T>(to_double(normalized) * a.gamma[c] + a.beta[c]);
    }
  }
}

template <class T>
void residual_norm_backward(const ResidualNormBackward<T>& a, const DropoutKey& key,
                            const Extent& e) {
  const std::int64_t cols = e.cols;
  for (std::int64_t r = 0; r < e.rows; ++r) {
    const std::int64_t at = r * e.stride;
    double mean_d = 0;   // mean of d normalized
    double mean_dn = 0;  // mean of d normalized * normalized
    for (std::int64_t c = 0; c < cols; ++c) {
      const double d = to_double(a.dy[at + c]) * a.gamma[c];
      mean_d += d / static_cast<double>(cols);
      mean_dn += d * to_double(a.normalized[at + c]) / static_cast<double>(cols);
    }
    for (std::int64_t c = 0; c < cols; ++c) {
      const double dy = to_double(a.dy[at + c]);
      const double normalized = to_double(a.normalized[at + c]);
      const double dsum = a.rstd[r] * (dy * a.gamma[c] - mean_d - normalized * mean_dn);
      a.d_gamma[c] += rounded<float>(dy * normalized);
      a.d_beta[c] += rounded<float>(dy);
      a.dsum[at + c] = rounded<T>(dsum);
      if (a.dx == nullptr) continue;
      const double dx = dsum * keep_factor(key, a.tokens, r, cols, c);
      a.dx[at + c] = rounded<T>(dx);
      a.d_bias[c] += rounded<float>(dx);
    }
  }
}

template <class T>
void scale_and_shift(const T* normalized, const float* gamma, const float* beta, const Extent& e,
                     T* y) {
  for (std::int64_t r = 0; r < e.rows; ++r) {
    for (std::int64_t c = 0; c < e.cols; ++c) {
      const std::int64_t i = r * e.stride + c;
      y[i] = rounded<T>(to_double(normalized[i]) * gamma[c] + beta[c]);
    }
  }
}

void adamw(const AdamWUpdate& u, std::int64_t count, const float* gradient, float* weight,
           float* moment1, float* moment2, BFloat16* rounded_weight) {
  for (std::int64_t i = 0; i < count; ++i) {
    const double g = double{gradient[i]} * u.gradient_scale;
    const double m = u.beta1 * double{moment1[i]} + u.one_minus_beta1 * g;
    const double v = u.beta2 * double{moment2[i]} + u.one_minus_beta2 * g * g;
    moment1[i] = rounded<float>(m);
    moment2[i] = rounded<float>(v);
    const double denominator = std::sqrt(v) * u.inverse_sqrt_correction2 + u.epsilon;
    weight[i] = rounded<float>(double{weight[i]} * u.decay_factor - u.step_size * m / denominator);
    if (rounded_weight != nullptr) rounded_weight[i] = round_to<BFloat16>(weight[i]);
  }
}

template <class T>
constexpr ActivationKernels<T> activation_kernels() {
  return {
      .pack_panel = pack_panel<T>,
      .multiply_panels = multiply_panels<T>,
      .add_bias = add_bias<T>,
      .add_column_sums = add_column_sums<T>,
      .add = add<T>,
      .bias_gelu_forward = bias_gelu_forward<T>,
      .gelu_backward = gelu_backward<T>,
      .dropout = dropout<T>,
      .residual_norm_forward = residual_norm_forward<T>,
      .residual_norm_backward = residual_norm_backward<T>,
      .scale_and_shift = scale_and_shift<T>,
      .attention_forward = reference::attention_forward<T>,
      .attention_backward = reference::attention_backward<T>,
  };
}

}  // namespace

const Table& reference_table() {
  static constexpr Table kTable = {
      .name = "reference",
      .panel_columns = kPanelColumns,
      .fp32 = activation_kernels<float>(),
      .bf16 = activation_kernels<BFloat16>(),
      .widen = widen,
      .store_sums = store_sums,
      .quantize_rows = quantize_rows,
      .dequantize_tile = dequantize_tile,
      .sum_of_squares = sum_of_squares,
      .adamw = adamw,
  };
  return kTable;
}

}  // namespace tandem::kernels
