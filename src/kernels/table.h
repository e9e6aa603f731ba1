#pragma once
// The kernels as a table of function pointers, one table for each instruction set.
//
// Kernels are single-threaded over the rows they are given, allocate nothing and throw nothing; the
// caller divides rows among threads. Matrices are row-major. Only plain types here: the files that
// are compiled for one instruction set include this header.
//
// Those that read or write activations come for activations of fp32 and of bf16, T. They compute in
// fp32 and round once, when a result is stored. What forward computes of a value that backward
// reads again, it computes of the value as it is stored, whether it is kept or not: backward's
// recomputed outputs, and prediction's, have the bits of forward's.

#include <cstdint>

#include "base/bf16.h"

namespace tandem::kernels {

// The part of a matrix that a call works on; rows are `stride` elements apart. All matrices of one
// call have the same extent.
struct Extent {
  std::int64_t rows, cols, stride;
};

// Which elements dropout removes (Srivastava et al. 2014). The mask isn't stored: it is a function
// of this key and of (sample, element), computed again in backward.
//
// Element e of a sample: group e / 64, word w = (e % 64) / 16 of the Philox block with counter
// {group * 16 + e % 16, sample, step, site}. It is kept if that word is >= threshold.
struct DropoutKey {
  std::uint32_t seed[2];
  std::uint32_t step;
  std::uint32_t site;       // layer and place in it
  std::uint32_t threshold;  // p * 2^32; 0 keeps everything
  float scale;              // 1 / (1 - p)
};

// What a row of a [T, C] matrix is, for dropout: row t is token position[t] of sample[t], and its
// first element counts as position * round_up(C, 64).
struct TokenRows {
  const std::uint32_t* sample;
  const std::int32_t* position;
};

// y = LayerNorm(residual + dropout(x + bias)); all of one extent.
// normalized = (sum - mean) / sqrt(variance + epsilon), rstd = 1 / sqrt(variance + epsilon),
// y = normalized * gamma + beta, of `normalized` as T has it (Ba et al. 2016, arXiv:1607.06450,
// eq. 3-4).
template <class T>
struct ResidualNormForward {
  const T* x;
  const float* bias;  // [cols]; null for none
  const T* residual;  // null for none
  TokenRows tokens;   // of row 0 onwards
  const float* gamma;
  const float* beta;
  float epsilon;
  T* normalized;     // null: not wanted
  float* rstd;       // [rows]
  T* y;              // may be x or residual
  float* workspace;  // [cols]
};

// dsum = d of residual + dropout(x + bias); dx = dropout's part of it. The sums over rows are added
// to d_gamma, d_beta and d_bias.
template <class T>
struct ResidualNormBackward {
  const T* dy;
  const T* normalized;
  const float* rstd;
  const float* gamma;
  TokenRows tokens;
  T* dsum;         // may be dy
  T* dx;           // null when there is no x apart from the residual
  float* d_gamma;  // [cols]
  float* d_beta;   // [cols]
  float* d_bias;   // [cols]; not touched without dx
};

// One head of one sequence: softmax(Q Kᵀ scale) V with dropout on the probabilities (Vaswani et al.
// 2017, arXiv:1706.03762, eq. 1). Nothing of size tokens x tokens is kept: a block of queries is
// worked on at a time, and backward computes the probabilities again from the logarithm of their
// sum (as Dao et al. 2022, arXiv:2205.14135, appendix B.4).
template <class T>
struct AttentionHead {
  std::int64_t tokens;   // n
  std::int64_t queries;  // m: those of the sequence's first m tokens are answered
  std::int64_t width;    // D
  const T* query;        // [m, D], rows query_stride apart
  std::int64_t query_stride;
  const T* key;  // [n, D], rows key_value_stride apart, as value
  const T* value;
  std::int64_t key_value_stride;
  float scale;  // 1 / sqrt(D)
  // Dropout: element (query * round_up(n, 64) + key) + head * n * round_up(n, 64) of the sample.
  DropoutKey dropout;
  std::uint32_t sample;
  std::int64_t head;
  // The caller's next head is that of the next D columns: its rows are fetched meanwhile.
  bool next_head_follows;
  float* workspace;  // attention_workspace_floats<T>(n, D)
};

// Queries that attention works on at a time.
inline constexpr std::int64_t kAttentionQueryBlock = 32;

// Floats that a call needs as workspace: K and V transposed, and for a block of queries the
// probabilities and their gradients. With bf16, K and V as floats and the sums of their gradients
// as well, and for a block of queries all that is read and written.
template <class T>
std::int64_t attention_workspace_floats(std::int64_t tokens, std::int64_t width) {
  const std::int64_t padded = (tokens + 15) / 16 * 16;
  const std::int64_t widened =
      sizeof(T) == sizeof(float) ? 0 : (4 * tokens + 3 * kAttentionQueryBlock) * width;
  return 2 * width * padded + kAttentionQueryBlock * 2 * padded + widened;
}

// op(matrix) of a product: element (r, c) is data[r * row_stride + c * column_stride]. One of the
// strides is 1.
template <class T>
struct Operand {
  const T* data;
  std::int64_t row_stride, column_stride;
};

// C = A B, or += with `accumulate`. A is [rows, k]. B's columns come in panels of
// Table::panel_columns, each a contiguous [k, panel_columns] of floats, one after another; the last
// is filled up with zeros. Each element is summed in the same order whatever part of C a call
// computes.
template <class T>
struct PanelProduct {
  Operand<T> a;
  std::int64_t k;
  const float* panels;  // from the first column of C on
  Extent extent;        // of C
  float* c;
  bool accumulate;
  float* workspace;  // panel_product_workspace_floats(rows)
};

// Rows of a panel that are multiplied at a time are at most this many.
inline constexpr std::int64_t kLongestInnerBlock = 384;

// Floats that a product of that many rows needs, to hold a part of A.
inline std::int64_t panel_product_workspace_floats(std::int64_t rows) {
  return kLongestInnerBlock * rows;
}

// A tile of a product in fp32, rows `stride` floats apart, before it is stored as activations; with
// fp32 the tile itself.
struct Sums {
  const float* data;
  std::int64_t stride;
};

// A row of activations as 8-bit integers: x ≈ scale * (quantised - kQuantizedZero), the quantised
// in zero point +- limit.
inline constexpr int kQuantizedZero = 128, kQuantizedLimit = 127;

struct QuantizedScale {
  float scale, inverse;
};

// Of a row whose elements' magnitudes have this maximum and sum. A row with an element that isn't
// finite gets the scale NaN, so that what is made of it isn't either; one too small to be divided
// by counts as zeros. Both have the inverse 0.
inline QuantizedScale scale_of_row(float largest, float sum) {
  constexpr float kLargest = 3.4e38F;
  constexpr float kSmallest = 1e-30F;
  if (!(sum <= kLargest)) return {__builtin_nanf(""), 0};
  if (largest < kSmallest) return {0, 0};
  return {largest / kQuantizedLimit, kQuantizedLimit / largest};
}

// AdamW (Loshchilov and Hutter 2019, arXiv:1711.05101, algorithm 2), as torch.optim.AdamW has it.
struct AdamWUpdate {
  float gradient_scale;  // from clipping
  float beta1, beta2, epsilon;
  float one_minus_beta1, one_minus_beta2;  // of the unrounded betas
  float decay_factor;                      // 1 - learning rate * weight decay
  float step_size;                         // learning rate / (1 - beta1^t)
  float inverse_sqrt_correction2;          // 1 / sqrt(1 - beta2^t)
};

// The kernels for activations of type T.
template <class T>
struct ActivationKernels {
  // Panel number `panel` of B [k, n].
  void (*pack_panel)(const Operand<T>& b, std::int64_t k, std::int64_t n, std::int64_t panel,
                     float* packed);
  void (*multiply_panels)(const PanelProduct<T>& product);

  // y = sums + bias[c]; y may be the sums.
  void (*add_bias)(const Sums& sums, const float* bias, const Extent& extent, T* y);
  // sum[c] += Σ_r x[r, c].
  void (*add_column_sums)(const T* x, const Extent& extent, float* sum);
  // y += x.
  void (*add)(const T* x, std::int64_t count, float* y);

  // x = sums + bias; y = x Φ(x) of x as T has it, Φ the standard normal distribution (Hendrycks and
  // Gimpel 2016, arXiv:1606.08415). x and y have one extent, x may be the sums. Null x: not wanted;
  // then y may be the sums.
  void (*bias_gelu_forward)(const Sums& sums, const float* bias, const Extent& extent, T* x, T* y);
  // gradient: dy in, dx = dy (Φ(x) + x φ(x)) out; y = gelu(x) again; d_bias += Σ_r dx.
  void (*gelu_backward)(const T* x, const Extent& extent, T* gradient, T* y, float* d_bias);

  // x = dropout(x) in place. Forward and backward alike.
  void (*dropout)(const DropoutKey& key, TokenRows tokens, const Extent& extent, T* x);

  void (*residual_norm_forward)(const ResidualNormForward<T>& arguments, const DropoutKey& key,
                                const Extent& extent);
  void (*residual_norm_backward)(const ResidualNormBackward<T>& arguments, const DropoutKey& key,
                                 const Extent& extent);
  // y = normalized * gamma + beta: LayerNorm's output once more, for backward.
  void (*scale_and_shift)(const T* normalized, const float* gamma, const float* beta,
                          const Extent& extent, T* y);

  // context [m, D], rows context_stride apart; log_sum_exp[i * log_sum_exp_stride] of query i.
  void (*attention_forward)(const AttentionHead<T>& head, T* context, std::int64_t context_stride,
                            float* log_sum_exp, std::int64_t log_sum_exp_stride);
  // From d_context and what forward gave: d_query, d_key, d_value, laid out as the inputs.
  void (*attention_backward)(const AttentionHead<T>& head, const T* context, const T* d_context,
                             std::int64_t context_stride, const float* log_sum_exp,
                             std::int64_t log_sum_exp_stride, T* d_query, T* d_key, T* d_value);
};

struct Table {
  const char* name;  // "avx512", "avx2", "reference"

  std::int64_t panel_columns;
  ActivationKernels<float> fp32;
  ActivationKernels<BFloat16> bf16;

  // y = x.
  void (*widen)(const BFloat16* x, std::int64_t count, float* y);
  // y = sums, or += with `accumulate`.
  void (*store_sums)(const Sums& sums, const Extent& extent, bool accumulate, BFloat16* y);

  // scale[r] and quantized[r, c] of each row, as scale_of_row has it; rows of `quantized` follow
  // each other.
  void (*quantize_rows)(const float* x, const Extent& extent, std::uint8_t* quantized,
                        float* scale);
  // y[r, c] = row_scale[r] * column_scale[c] * (sums[r, c] - column_offset[c]); rows of `sums`
  // follow each other.
  void (*dequantize_tile)(const std::int32_t* sums, const float* row_scale,
                          const float* column_scale, const std::int32_t* column_offset,
                          const Extent& extent, float* y);

  // Σ x², in double.
  double (*sum_of_squares)(const float* x, std::int64_t count);
  // `rounded`, unless it is null, becomes the weights as bf16.
  void (*adamw)(const AdamWUpdate& update, std::int64_t count, const float* gradient, float* weight,
                float* moment1, float* moment2, BFloat16* rounded);

  // Those for activations of type T.
  template <class T>
  const ActivationKernels<T>& of() const;
};

template <>
inline const ActivationKernels<float>& Table::of<float>() const {
  return fp32;
}
template <>
inline const ActivationKernels<BFloat16>& Table::of<BFloat16>() const {
  return bf16;
}

}  // namespace tandem::kernels
