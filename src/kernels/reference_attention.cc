// Attention by plain loops.
#include <algorithm>
#include <cmath>

#include "kernels/reference_parts.h"

namespace tandem::kernels::reference {
namespace {

template <class T>
double dot(const T* a, const T* b, std::int64_t count) {
  double total = 0;
  for (std::int64_t i = 0; i < count; ++i) total += to_double(a[i]) * to_double(b[i]);
  return total;
}

template <class T>
double keep_factor_of_pair(const AttentionHead<T>& h, std::int64_t query, std::int64_t key) {
  const std::int64_t row = h.head * h.tokens + query;
  return keep_factor(h.dropout, h.sample, row * round_up_64(h.tokens) + key);
}

template <class T>
double score(const AttentionHead<T>& h, std::int64_t query, std::int64_t key) {
  return h.scale * dot(h.query + query * h.query_stride, h.key + key * h.key_value_stride, h.width);
}

// What backward knows of forward.
template <class T>
struct AttentionContext {
  const T* context;
  const T* d_context;
  std::int64_t stride;
  const float* log_sum_exp;
  std::int64_t log_sum_exp_stride;
};

// The probability of a key for a query after dropout, and the gradient of their score.
struct PairGradient {
  double probability, d_score;
};

template <class T>
PairGradient pair_gradient(const AttentionHead<T>& h, const AttentionContext<T>& c,
                           std::int64_t query, std::int64_t key) {
  const T* const d_out = c.d_context + query * c.stride;
  const double delta = dot(d_out, c.context + query * c.stride, h.width);
  const double keep = keep_factor_of_pair(h, query, key);
  const double probability =
      std::exp(score(h, query, key) - double{c.log_sum_exp[query * c.log_sum_exp_stride]});
  const double d_probability = dot(d_out, h.value + key * h.key_value_stride, h.width) * keep;
  return {probability * keep, probability * (d_probability - delta) * h.scale};
}

template <class T>
void add_multiple(double factor, const T* x, std::int64_t count, float* sum) {
  for (std::int64_t i = 0; i < count; ++i) sum[i] += rounded<float>(factor * to_double(x[i]));
}

template <class T>
void store_row(const float* row, std::int64_t count, T* y) {
  for (std::int64_t i = 0; i < count; ++i) y[i] = round_to<T>(row[i]);
}

}  // namespace

template <class T>
void attention_forward(const AttentionHead<T>& h, T* context, std::int64_t context_stride,
                       float* log_sum_exp, std::int64_t log_sum_exp_stride) {
  for (std::int64_t i = 0; i < h.queries; ++i) {
    double highest = score(h, i, 0);
    for (std::int64_t j = 1; j < h.tokens; ++j) highest = std::max(highest, score(h, i, j));
    double sum = 0;
    for (std::int64_t j = 0; j < h.tokens; ++j) sum += std::exp(score(h, i, j) - highest);
    const double log_sum = highest + std::log(sum);
    log_sum_exp[i * log_sum_exp_stride] = rounded<float>(log_sum);
    for (std::int64_t d = 0; d < h.width; ++d) {
      double total = 0;
      for (std::int64_t j = 0; j < h.tokens; ++j) {
        total += std::exp(score(h, i, j) - log_sum) * keep_factor_of_pair(h, i, j) *
                 to_double(h.value[j * h.key_value_stride + d]);
      }
      context[i * context_stride + d] = rounded<T>(total);
    }
  }
}

// One row of a gradient is summed at a time, so that bf16 is rounded once: each pair's gradient is
// computed twice, for its query and for its key.
template <class T>
void attention_backward(const AttentionHead<T>& h, const T* context, const T* d_context,
                        std::int64_t context_stride, const float* log_sum_exp,
                        std::int64_t log_sum_exp_stride, T* d_query, T* d_key, T* d_value) {
  const AttentionContext<T> c = {context, d_context, context_stride, log_sum_exp,
                                 log_sum_exp_stride};
  float* const sum = h.workspace;
  float* const d_value_sum = sum + h.width;
  for (std::int64_t i = 0; i < h.queries; ++i) {
    std::fill_n(sum, h.width, 0.0F);
    for (std::int64_t j = 0; j < h.tokens; ++j) {
      add_multiple(pair_gradient(h, c, i, j).d_score, h.key + j * h.key_value_stride, h.width, sum);
    }
    store_row(sum, h.width, d_query + i * h.query_stride);
  }
  for (std::int64_t j = 0; j < h.tokens; ++j) {
    std::fill_n(sum, 2 * h.width, 0.0F);
    for (std::int64_t i = 0; i < h.queries; ++i) {
      const PairGradient pair = pair_gradient(h, c, i, j);
      add_multiple(pair.d_score, h.query + i * h.query_stride, h.width, sum);
      add_multiple(pair.probability, d_context + i * context_stride, h.width, d_value_sum);
    }
    store_row(sum, h.width, d_key + j * h.key_value_stride);
    store_row(d_value_sum, h.width, d_value + j * h.key_value_stride);
  }
}

template void attention_forward(const AttentionHead<float>&, float*, std::int64_t, float*,
                                std::int64_t);
template void attention_backward(const AttentionHead<float>&, const float*, const float*,
                                 std::int64_t, const float*, std::int64_t, float*, float*, float*);
template void attention_forward(const AttentionHead<BFloat16>&, BFloat16*, std::int64_t, float*,
                                std::int64_t);
template void attention_backward(const AttentionHead<BFloat16>&, const BFloat16*, const BFloat16*,
                                 std::int64_t, const float*, std::int64_t, BFloat16*, BFloat16*,
                                 BFloat16*);

}  // namespace tandem::kernels::reference
