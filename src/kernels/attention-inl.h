// Attention of one head of one sequence, a block of queries at a time, forward and backward.
#if defined(TANDEM_KERNELS_ATTENTION) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_KERNELS_ATTENTION
#undef TANDEM_KERNELS_ATTENTION
#else
#define TANDEM_KERNELS_ATTENTION
#endif

#include <cmath>

#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"
#include "kernels/dropout-inl.h"
#include "kernels/small_product-inl.h"
#include "kernels/table.h"
#include "kernels/transpose-inl.h"
#include "kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::kernels::HWY_NAMESPACE {

// Parts of the workspace, as attention_workspace_floats counts them.
struct AttentionWorkspace {
  std::int64_t padded;      // n rounded up to 16: row length of all below
  float* transposed_key;    // [D, padded]
  float* transposed_value;  // [D, padded]
  float* probability;       // [query block, padded]
  float* d_probability;     // [query block, padded]
};

HWY_INLINE AttentionWorkspace divide_workspace(const AttentionHead& h) {
  AttentionWorkspace w;
  w.padded = (h.tokens + 15) / 16 * 16;
  w.transposed_key = h.workspace;
  w.transposed_value = w.transposed_key + h.width * w.padded;
  w.probability = w.transposed_value + h.width * w.padded;
  w.d_probability = w.probability + kAttentionQueryBlock * w.padded;
  return w;
}

// to [D, padded] = the transpose of a key or value [n, D], zero beyond n.
HWY_INLINE void transpose_padded(const float* from, const AttentionHead& h, std::int64_t padded,
                                 float* to) {
  transpose(from, h.tokens, h.width, h.key_value_stride, to, padded);
  for (std::int64_t c = 0; c < h.width; ++c) {
    for (std::int64_t r = h.tokens; r < padded; ++r) to[c * padded + r] = 0;
  }
}

// scores[rows, padded] = rows [first, first + rows) of `left` times a transposed [D, padded].
HWY_INLINE void multiply_by_transposed(const AttentionHead& h, const float* left,
                                       std::int64_t left_row, std::int64_t rows,
                                       const float* transposed, std::int64_t padded,
                                       float* scores) {
  small_product({.m = rows,
                 .n = padded,
                 .k = h.width,
                 .a = left,
                 .a_row = left_row,
                 .a_col = 1,
                 .b = transposed,
                 .b_row = padded,
                 .c = scores,
                 .c_row = padded,
                 .accumulate = false});
}

// Turns a row of scores into probabilities; returns log Σ exp(scale * score).
HWY_INLINE float softmax_row(float* row, std::int64_t count, float scale) {
  FloatVector highest = hn::Set(kFloats, row[0]);
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    highest = hn::Max(highest, hn::LoadU(kFloats, row + i));
  }
  float maximum = hn::GetLane(hn::MaxOfLanes(kFloats, highest));
  for (; i < count; ++i) maximum = row[i] > maximum ? row[i] : maximum;

  const FloatVector scales = hn::Set(kFloats, scale);
  const FloatVector shift = hn::Set(kFloats, -maximum * scale);
  FloatVector sums = hn::Zero(kFloats);
  for_vectors(count, [&](auto vector, std::int64_t c) HWY_ATTR {
    const FloatVector value = hn::Exp(kFloats, hn::MulAdd(vector.load(row + c), scales, shift));
    vector.store(value, row + c);
    sums = hn::Add(sums, vector.load(row + c));
  });
  const float sum = sum_of_lanes(sums);
  const FloatVector inverse = hn::Set(kFloats, 1.0F / sum);
  for_vectors(count, [&](auto vector, std::int64_t c) HWY_ATTR {
    vector.store(hn::Mul(vector.load(row + c), inverse), row + c);
  });
  return maximum * scale + std::log(sum);
}

// body(begin, end, keep) over the groups of one query's probabilities.
template <class Body>
HWY_INLINE void for_probability_groups(const AttentionHead& h, std::int64_t query, Body&& body) {
  HWY_ALIGN float keep[kDropoutGroup];
  const std::int64_t groups = (h.tokens + kDropoutGroup - 1) / kDropoutGroup;
  for (std::int64_t group = 0; group < groups; ++group) {
    fill_keep(h.dropout, h.sample, (h.head * h.tokens + query) * groups + group, keep);
    const std::int64_t begin = group * kDropoutGroup;
    body(begin, h.tokens < begin + kDropoutGroup ? h.tokens : begin + kDropoutGroup, keep);
  }
}

void attention_forward(const AttentionHead& h, float* context, std::int64_t context_stride,
                       float* log_sum_exp, std::int64_t log_sum_exp_stride) {
  const AttentionWorkspace w = divide_workspace(h);
  transpose_padded(h.key, h, w.padded, w.transposed_key);
  for (std::int64_t first = 0; first < h.queries; first += kAttentionQueryBlock) {
    const std::int64_t left = h.queries - first;
    const std::int64_t rows = left < kAttentionQueryBlock ? left : kAttentionQueryBlock;
    multiply_by_transposed(h, h.query + first * h.query_stride, h.query_stride, rows,
                           w.transposed_key, w.padded, w.probability);
    for (std::int64_t r = 0; r < rows; ++r) {
      float* const row = w.probability + r * w.padded;
      log_sum_exp[(first + r) * log_sum_exp_stride] = softmax_row(row, h.tokens, h.scale);
      if (h.dropout.threshold == 0) continue;
      for_probability_groups(h, first + r,
                             [&](std::int64_t begin, std::int64_t end, const float* keep)
                                 HWY_ATTR { apply_keep(row + begin, keep, end - begin); });
    }
    small_product({.m = rows,
                   .n = h.width,
                   .k = h.tokens,
                   .a = w.probability,
                   .a_row = w.padded,
                   .a_col = 1,
                   .b = h.value,
                   .b_row = h.key_value_stride,
                   .c = context + first * context_stride,
                   .c_row = context_stride,
                   .accumulate = false});
  }
}

// On entry `probability` holds scores and `d_probability` d_context Vᵀ of one query; on return
// they hold the probability after dropout and the gradient of the score.
HWY_INLINE void softmax_backward_row(const AttentionHead& h, std::int64_t query, float delta,
                                     float log_sum_exp, float* probability, float* d_probability) {
  const FloatVector scale = hn::Set(kFloats, h.scale);
  const FloatVector shift = hn::Set(kFloats, -log_sum_exp);
  const FloatVector deltas = hn::Set(kFloats, delta);
  const auto part = [&](std::int64_t begin, std::int64_t end, const float* keep) HWY_ATTR {
    for_vectors(end - begin, [&](auto vector, std::int64_t i) HWY_ATTR {
      float* const p = probability + begin + i;
      float* const dp = d_probability + begin + i;
      const FloatVector factor =
          keep == nullptr ? hn::Set(kFloats, 1.0F) : hn::LoadU(kFloats, keep + i);
      const FloatVector value = hn::Exp(kFloats, hn::MulAdd(vector.load(p), scale, shift));
      const FloatVector d_value = hn::Sub(hn::Mul(vector.load(dp), factor), deltas);
      vector.store(hn::Mul(value, factor), p);
      vector.store(hn::Mul(hn::Mul(value, scale), d_value), dp);
    });
  };
  if (h.dropout.threshold == 0) {
    part(0, h.tokens, nullptr);
  } else {
    for_probability_groups(h, query, part);
  }
}

// d[n, D] (+)= block[rows, n]ᵀ right[rows, D]: what a block of queries adds to d_key or d_value.
HWY_INLINE void add_transposed_block(const AttentionHead& h, const AttentionWorkspace& w,
                                     const float* block, std::int64_t rows, const float* right,
                                     std::int64_t right_row, float* d, bool accumulate) {
  small_product({.m = h.tokens,
                 .n = h.width,
                 .k = rows,
                 .a = block,
                 .a_row = 1,
                 .a_col = w.padded,
                 .b = right,
                 .b_row = right_row,
                 .c = d,
                 .c_row = h.key_value_stride,
                 .accumulate = accumulate});
}

HWY_INLINE float dot(const float* a, const float* b, std::int64_t count) {
  FloatVector sum = hn::Zero(kFloats);
  for_vectors(count, [&](auto vector, std::int64_t i) HWY_ATTR {
    sum = hn::MulAdd(vector.load(a + i), vector.load(b + i), sum);
  });
  return sum_of_lanes(sum);
}

// With P the probabilities and M the dropout factors: d_value = (P M)ᵀ d_context,
// d_score = scale P ((d_context Vᵀ) M - delta), delta = rowsum(d_context context).
void attention_backward(const AttentionHead& h, const float* context, const float* d_context,
                        std::int64_t context_stride, const float* log_sum_exp,
                        std::int64_t log_sum_exp_stride, float* d_query, float* d_key,
                        float* d_value) {
  const AttentionWorkspace w = divide_workspace(h);
  transpose_padded(h.key, h, w.padded, w.transposed_key);
  transpose_padded(h.value, h, w.padded, w.transposed_value);
  for (std::int64_t first = 0; first < h.queries; first += kAttentionQueryBlock) {
    const std::int64_t left = h.queries - first;
    const std::int64_t rows = left < kAttentionQueryBlock ? left : kAttentionQueryBlock;
    const float* const query = h.query + first * h.query_stride;
    const float* const d_out = d_context + first * context_stride;
    multiply_by_transposed(h, query, h.query_stride, rows, w.transposed_key, w.padded,
                           w.probability);
    multiply_by_transposed(h, d_out, context_stride, rows, w.transposed_value, w.padded,
                           w.d_probability);
    for (std::int64_t r = 0; r < rows; ++r) {
      const std::int64_t i = first + r;
      const float delta =
          dot(d_context + i * context_stride, context + i * context_stride, h.width);
      softmax_backward_row(h, i, delta, log_sum_exp[i * log_sum_exp_stride],
                           w.probability + r * w.padded, w.d_probability + r * w.padded);
    }
    const bool accumulate = first > 0;
    add_transposed_block(h, w, w.probability, rows, d_out, context_stride, d_value, accumulate);
    add_transposed_block(h, w, w.d_probability, rows, query, h.query_stride, d_key, accumulate);
    small_product({.m = rows,
                   .n = h.width,
                   .k = h.tokens,
                   .a = w.d_probability,
                   .a_row = w.padded,
                   .a_col = 1,
                   .b = h.key,
                   .b_row = h.key_value_stride,
                   .c = d_query + first * h.query_stride,
                   .c_row = h.query_stride,
                   .accumulate = false});
  }
}

}  // namespace tandem::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
