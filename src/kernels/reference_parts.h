#pragma once
// What the files of the reference kernels share.

#include <cstdint>

#include "base/philox.h"
#include "kernels/table.h"

namespace tandem::kernels::reference {

inline std::int64_t round_up_64(std::int64_t n) { return (n + 63) / 64 * 64; }

// 0 for an element that dropout removes, else the factor that keeps the expectation.
inline double keep_factor(const DropoutKey& key, std::uint32_t sample, std::int64_t element) {
  if (key.threshold == 0) return 1;
  const std::int64_t in_group = element % 64;
  const auto block = static_cast<std::uint32_t>(element / 64 * 16 + in_group % 16);
  const auto words = philox4x32({block, sample, key.step, key.site}, {key.seed[0], key.seed[1]});
  return words[static_cast<std::size_t>(in_group / 16)] >= key.threshold ? double{key.scale} : 0;
}

template <class T>
double to_double(T x) {
  return double{to_float(x)};
}

// By way of float, as the fast kernels round.
template <class T>
T rounded(double x) {
  return round_to<T>(static_cast<float>(x));
}

// The table's functions of these names.
template <class T>
void attention_forward(const AttentionHead<T>& h, T* context, std::int64_t context_stride,
                       float* log_sum_exp, std::int64_t log_sum_exp_stride);
template <class T>
void attention_backward(const AttentionHead<T>& h, const T* context, const T* d_context,
                        std::int64_t context_stride, const float* log_sum_exp,
                        std::int64_t log_sum_exp_stride, T* d_query, T* d_key, T* d_value);

}  // namespace tandem::kernels::reference
