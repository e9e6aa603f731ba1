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

// Rows of floats that a call reads or sums up in.
template <class T>
struct RowView {
  T* data;
  std::int64_t stride;
  T* row(std::int64_t r) const { return data + r * stride; }
};

// Hands out the parts of the workspace, whose sizes attention_workspace_floats adds up.
struct WorkspaceParts {
  float* next;
  float* take(std::int64_t floats) {
    float* const part = next;
    next += floats;
    return part;
  }
};

// Rows as floats: those of fp32 are taken as they are, those of bf16 are widened.
HWY_INLINE RowView<const float> as_floats(const float* from, std::int64_t /*rows*/,
                                          std::int64_t /*width*/, std::int64_t stride,
                                          WorkspaceParts& /*parts*/) {
  return {from, stride};
}
HWY_INLINE RowView<const float> as_floats(const BFloat16* from, std::int64_t rows,
                                          std::int64_t width, std::int64_t stride,
                                          WorkspaceParts& parts) {
  float* const to = parts.take(rows * width);
  for (std::int64_t r = 0; r < rows; ++r) convert_row(from + r * stride, width, to + r * width);
  return {to, width};
}

// Where floats are summed before finish() stores them as `to`, rows `stride` apart: fp32 there.
HWY_INLINE RowView<float> sums_for(float* to, std::int64_t /*rows*/, std::int64_t /*width*/,
                                   std::int64_t stride, WorkspaceParts& /*parts*/) {
  return {to, stride};
}
HWY_INLINE RowView<float> sums_for(BFloat16* /*to*/, std::int64_t rows, std::int64_t width,
                                   std::int64_t /*stride*/, WorkspaceParts& parts) {
  return {parts.take(rows * width), width};
}
HWY_INLINE void finish(const RowView<float>& /*sums*/, std::int64_t /*rows*/,
                       std::int64_t /*width*/, std::int64_t /*stride*/, float* /*to*/) {}
HWY_INLINE void finish(const RowView<float>& sums, std::int64_t rows, std::int64_t width,
                       std::int64_t stride, BFloat16* to) {
  for (std::int64_t r = 0; r < rows; ++r) convert_row(sums.row(r), width, to + r * stride);
}

template <class T>
HWY_INLINE std::int64_t padded_tokens(const AttentionHead<T>& h) {
  return (h.tokens + 15) / 16 * 16;
}

// The transpose [D, padded] of a key or value [n, D], zero beyond n.
template <class T>
HWY_INLINE const float* transposed(const RowView<const float>& from, const AttentionHead<T>& h,
                                   WorkspaceParts& parts) {
  const std::int64_t padded = padded_tokens(h);
  float* const to = parts.take(h.width * padded);
  transpose(from.data, h.tokens, h.width, from.stride, to, padded);
  for (std::int64_t c = 0; c < h.width; ++c) {
    for (std::int64_t r = h.tokens; r < padded; ++r) to[c * padded + r] = 0;
  }
  return to;
}

// body(first, rows) for each block of queries.
template <class T, class Body>
HWY_INLINE void for_query_blocks(const AttentionHead<T>& h, Body&& body) {
  for (std::int64_t first = 0; first < h.queries; first += kAttentionQueryBlock) {
    const std::int64_t left = h.queries - first;
    body(first, left < kAttentionQueryBlock ? left : kAttentionQueryBlock);
  }
}

// scores[rows, padded] = left[rows, D] times a transposed [D, padded].
HWY_INLINE void multiply_by_transposed(const RowView<const float>& left, std::int64_t rows,
                                       std::int64_t width, const float* right, std::int64_t padded,
                                       float* scores) {
  small_product({.m = rows,
                 .n = padded,
                 .k = width,
                 .a = left.data,
                 .a_row = left.stride,
                 .a_col = 1,
                 .b = right,
                 .b_row = padded,
                 .c = scores,
                 .c_row = padded,
                 .accumulate = false});
}

// result[rows, D] = block[rows, n] right[n, D].
HWY_INLINE void multiply_block(const float* block, std::int64_t rows, std::int64_t tokens,
                               std::int64_t padded, const RowView<const float>& right,
                               std::int64_t width, const RowView<float>& result) {
  small_product({.m = rows,
                 .n = width,
                 .k = tokens,
                 .a = block,
                 .a_row = padded,
                 .a_col = 1,
                 .b = right.data,
                 .b_row = right.stride,
                 .c = result.data,
                 .c_row = result.stride,
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
template <class T, class Body>
HWY_INLINE void for_probability_groups(const AttentionHead<T>& h, std::int64_t query, Body&& body) {
  HWY_ALIGN float keep[kDropoutGroup];
  const std::int64_t groups = (h.tokens + kDropoutGroup - 1) / kDropoutGroup;
  for (std::int64_t group = 0; group < groups; ++group) {
    fill_keep(h.dropout, h.sample, (h.head * h.tokens + query) * groups + group, keep);
    const std::int64_t begin = group * kDropoutGroup;
    body(begin, h.tokens < begin + kDropoutGroup ? h.tokens : begin + kDropoutGroup, keep);
  }
}

// Where the caller's next head follows, fetches its part of this token's rows: what is in the next
// D columns of query, key, value and `rows`. They are short and far apart, so that the CPU doesn't
// foresee them.
template <class T, class... Rows>
HWY_INLINE void fetch_next_head(const AttentionHead<T>& h, std::int64_t token,
                                const Rows*... rows) {
  if (!h.next_head_follows) return;
  constexpr std::int64_t kLine = 64 / sizeof(T);
  const auto fetch = [&](const T* row) {
    for (std::int64_t i = 0; i < h.width; i += kLine) __builtin_prefetch(row + h.width + i, 0, 3);
  };
  fetch(h.query + token * h.query_stride);
  fetch(h.key + token * h.key_value_stride);
  fetch(h.value + token * h.key_value_stride);
  (fetch(rows), ...);
}

template <class T>
void attention_forward(const AttentionHead<T>& h, T* context, std::int64_t context_stride,
                       float* log_sum_exp, std::int64_t log_sum_exp_stride) {
  WorkspaceParts parts{h.workspace};
  const std::int64_t padded = padded_tokens(h);
  const auto key = as_floats(h.key, h.tokens, h.width, h.key_value_stride, parts);
  const auto value = as_floats(h.value, h.tokens, h.width, h.key_value_stride, parts);
  const float* const transposed_key = transposed(key, h, parts);
  float* const probability = parts.take(kAttentionQueryBlock * padded);
  for_query_blocks(h, [&](std::int64_t first, std::int64_t rows) HWY_ATTR {
    WorkspaceParts block = parts;
    const auto query =
        as_floats(h.query + first * h.query_stride, rows, h.width, h.query_stride, block);
    multiply_by_transposed(query, rows, h.width, transposed_key, padded, probability);
    for (std::int64_t r = 0; r < rows; ++r) {
      float* const row = probability + r * padded;
      fetch_next_head(h, first + r, context + (first + r) * context_stride);
      log_sum_exp[(first + r) * log_sum_exp_stride] = softmax_row(row, h.tokens, h.scale);
      if (h.dropout.threshold == 0) continue;
      for_probability_groups(h, first + r,
                             [&](std::int64_t begin, std::int64_t end, const float* keep)
                                 HWY_ATTR { apply_keep(row + begin, keep, end - begin); });
    }
    T* const to = context + first * context_stride;
    const auto result = sums_for(to, rows, h.width, context_stride, block);
    multiply_block(probability, rows, h.tokens, padded, value, h.width, result);
    finish(result, rows, h.width, context_stride, to);
  });
}

// On entry `probability` holds scores and `d_probability` d_context Vᵀ of one query; on return
// they hold the probability after dropout and the gradient of the score.
template <class T>
HWY_INLINE void softmax_backward_row(const AttentionHead<T>& h, std::int64_t query, float delta,
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
HWY_INLINE void add_transposed_block(const float* block, std::int64_t rows, std::int64_t tokens,
                                     std::int64_t padded, const RowView<const float>& right,
                                     std::int64_t width, const RowView<float>& d, bool accumulate) {
  small_product({.m = tokens,
                 .n = width,
                 .k = rows,
                 .a = block,
                 .a_row = 1,
                 .a_col = padded,
                 .b = right.data,
                 .b_row = right.stride,
                 .c = d.data,
                 .c_row = d.stride,
                 .accumulate = accumulate});
}

template <class T>
HWY_INLINE float dot(const T* a, const T* b, std::int64_t count) {
  FloatVector sum = hn::Zero(kFloats);
  for_vectors(count, [&](auto vector, std::int64_t i) HWY_ATTR {
    sum = hn::MulAdd(vector.load(a + i), vector.load(b + i), sum);
  });
  return sum_of_lanes(sum);
}

// With P the probabilities and M the dropout factors: d_value = (P M)ᵀ d_context,
// d_score = scale P ((d_context Vᵀ) M - delta), delta = rowsum(d_context context).
template <class T>
void attention_backward(const AttentionHead<T>& h, const T* context, const T* d_context,
                        std::int64_t context_stride, const float* log_sum_exp,
                        std::int64_t log_sum_exp_stride, T* d_query, T* d_key, T* d_value) {
  WorkspaceParts parts{h.workspace};
  const std::int64_t padded = padded_tokens(h);
  const auto key = as_floats(h.key, h.tokens, h.width, h.key_value_stride, parts);
  const auto value = as_floats(h.value, h.tokens, h.width, h.key_value_stride, parts);
  const float* const transposed_key = transposed(key, h, parts);
  const float* const transposed_value = transposed(value, h, parts);
  const auto key_sums = sums_for(d_key, h.tokens, h.width, h.key_value_stride, parts);
  const auto value_sums = sums_for(d_value, h.tokens, h.width, h.key_value_stride, parts);
  float* const probability = parts.take(kAttentionQueryBlock * padded);
  float* const d_probability = parts.take(kAttentionQueryBlock * padded);
  for_query_blocks(h, [&](std::int64_t first, std::int64_t rows) HWY_ATTR {
    WorkspaceParts block = parts;
    const auto query =
        as_floats(h.query + first * h.query_stride, rows, h.width, h.query_stride, block);
    const auto d_out =
        as_floats(d_context + first * context_stride, rows, h.width, context_stride, block);
    multiply_by_transposed(query, rows, h.width, transposed_key, padded, probability);
    multiply_by_transposed(d_out, rows, h.width, transposed_value, padded, d_probability);
    for (std::int64_t r = 0; r < rows; ++r) {
      const std::int64_t i = first + r;
      fetch_next_head(h, i, context + i * context_stride, d_context + i * context_stride,
                      d_query + i * h.query_stride, d_key + i * h.key_value_stride,
                      d_value + i * h.key_value_stride);
      const float delta =
          dot(d_context + i * context_stride, context + i * context_stride, h.width);
      softmax_backward_row(h, i, delta, log_sum_exp[i * log_sum_exp_stride],
                           probability + r * padded, d_probability + r * padded);
    }
    const bool accumulate = first > 0;
    add_transposed_block(probability, rows, h.tokens, padded, d_out, h.width, value_sums,
                         accumulate);
    add_transposed_block(d_probability, rows, h.tokens, padded, query, h.width, key_sums,
                         accumulate);
    T* const to = d_query + first * h.query_stride;
    const auto query_sums = sums_for(to, rows, h.width, h.query_stride, block);
    multiply_block(d_probability, rows, h.tokens, padded, key, h.width, query_sums);
    finish(query_sums, rows, h.width, h.query_stride, to);
  });
  finish(key_sums, h.tokens, h.width, h.key_value_stride, d_key);
  finish(value_sums, h.tokens, h.width, h.key_value_stride, d_value);
}

}  // namespace tandem::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
