// Bias, dropout, residual and LayerNorm in one pass over a row, forward and backward.
#if defined(TANDEM_KERNELS_RESIDUAL_NORM) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_KERNELS_RESIDUAL_NORM
#undef TANDEM_KERNELS_RESIDUAL_NORM
#else
#define TANDEM_KERNELS_RESIDUAL_NORM
#endif

#include <cmath>

#include "hwy/highway.h"
#include "kernels/dropout-inl.h"
#include "kernels/table.h"
#include "kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::kernels::HWY_NAMESPACE {

// sum = residual + dropout(x + bias) of one row; returns the sum of its elements.
template <class T>
HWY_INLINE float residual_sum_row(const ResidualNormForward<T>& a, const DropoutKey& key,
                                  std::int64_t row, const Extent& e, float* sum) {
  const T* const x = a.x + row * e.stride;
  const T* const residual = a.residual == nullptr ? nullptr : a.residual + row * e.stride;
  FloatVector total = hn::Zero(kFloats);
  const auto part = [&](std::int64_t begin, std::int64_t end, const float* keep) HWY_ATTR {
    for_vectors(end - begin, [&](auto vector, std::int64_t i) HWY_ATTR {
      const std::int64_t c = begin + i;
      FloatVector value = vector.load(x + c);
      if (a.bias != nullptr) value = hn::Add(value, vector.load(a.bias + c));
      if (keep != nullptr) value = hn::Mul(value, hn::LoadU(kFloats, keep + i));
      if (residual != nullptr) value = hn::Add(value, vector.load(residual + c));
      vector.store(value, sum + c);
      total = hn::Add(total, vector.load(sum + c));
    });
  };
  for_dropout_groups(key, a.tokens, row, e.cols, part);
  return sum_of_lanes(total);
}

// Σ (x - mean)² of one row.
HWY_INLINE float squared_deviations(const float* row, std::int64_t cols, float mean) {
  const FloatVector means = hn::Set(kFloats, mean);
  FloatVector squares = hn::Zero(kFloats);
  std::int64_t c = 0;
  for (; c + kLanes <= cols; c += kLanes) {
    const FloatVector centred = hn::Sub(hn::LoadU(kFloats, row + c), means);
    squares = hn::MulAdd(centred, centred, squares);
  }
  float sum = sum_of_lanes(squares);
  for (; c < cols; ++c) sum += (row[c] - mean) * (row[c] - mean);
  return sum;
}

// Two passes over the row for mean and variance: it is in the first-level cache.
template <class T>
void residual_norm_forward(const ResidualNormForward<T>& a, const DropoutKey& key,
                           const Extent& e) {
  const std::int64_t cols = e.cols;
  const float inverse_cols = 1.0F / static_cast<float>(cols);
  float* const row = a.workspace;
  for (std::int64_t r = 0; r < e.rows; ++r) {
    const float mean = residual_sum_row(a, key, r, e, row) * inverse_cols;
    const float variance = squared_deviations(row, cols, mean) * inverse_cols;
    const float rstd = 1.0F / std::sqrt(variance + a.epsilon);
    a.rstd[r] = rstd;
    const FloatVector means = hn::Set(kFloats, mean);
    const FloatVector scale = hn::Set(kFloats, rstd);
    const std::int64_t at = r * e.stride;
    for_vectors(cols, [&](auto vector, std::int64_t c) HWY_ATTR {
      const FloatVector centred = hn::Sub(vector.load(row + c), means);
      const FloatVector normalized = as_stored<T>(hn::Mul(centred, scale));
      if (a.normalized != nullptr) vector.store(normalized, a.normalized + at + c);
      vector.store(hn::MulAdd(normalized, vector.load(a.gamma + c), vector.load(a.beta + c)),
                   a.y + at + c);
    });
  }
}

// dsum = rstd (d - mean(d) - normalized mean(d normalized)) with d = dy gamma.
template <class T>
void residual_norm_backward(const ResidualNormBackward<T>& a, const DropoutKey& key,
                            const Extent& e) {
  const std::int64_t cols = e.cols;
  const float inverse_cols = 1.0F / static_cast<float>(cols);
  for (std::int64_t r = 0; r < e.rows; ++r) {
    const std::int64_t at = r * e.stride;
    FloatVector sum_d = hn::Zero(kFloats);
    FloatVector sum_dn = hn::Zero(kFloats);
    for_vectors(cols, [&](auto vector, std::int64_t c) HWY_ATTR {
      const FloatVector dy = vector.load(a.dy + at + c);
      const FloatVector normalized = vector.load(a.normalized + at + c);
      const FloatVector d = hn::Mul(dy, vector.load(a.gamma + c));
      sum_d = hn::Add(sum_d, d);
      sum_dn = hn::MulAdd(d, normalized, sum_dn);
      vector.store(hn::Add(vector.load(a.d_beta + c), dy), a.d_beta + c);
      vector.store(hn::MulAdd(dy, normalized, vector.load(a.d_gamma + c)), a.d_gamma + c);
    });
    const FloatVector mean_d = hn::Set(kFloats, sum_of_lanes(sum_d) * inverse_cols);
    const FloatVector mean_dn = hn::Set(kFloats, sum_of_lanes(sum_dn) * inverse_cols);
    const FloatVector rstd = hn::Set(kFloats, a.rstd[r]);
    const auto part = [&](std::int64_t begin, std::int64_t end, const float* keep) HWY_ATTR {
      for_vectors(end - begin, [&](auto vector, std::int64_t i) HWY_ATTR {
        const std::int64_t c = begin + i;
        const FloatVector d = hn::Mul(vector.load(a.dy + at + c), vector.load(a.gamma + c));
        const FloatVector centred = hn::Sub(d, mean_d);
        const FloatVector normalized = vector.load(a.normalized + at + c);
        const FloatVector dsum = hn::Mul(rstd, hn::NegMulAdd(normalized, mean_dn, centred));
        vector.store(dsum, a.dsum + at + c);
        if (a.dx == nullptr) return;
        const FloatVector dx = keep == nullptr ? dsum : hn::Mul(dsum, hn::LoadU(kFloats, keep + i));
        vector.store(dx, a.dx + at + c);
        vector.store(hn::Add(vector.load(a.d_bias + c), dx), a.d_bias + c);
      });
    };
    if (a.dx == nullptr) {
      part(0, cols, nullptr);
    } else {
      for_dropout_groups(key, a.tokens, r, cols, part);
    }
  }
}

}  // namespace tandem::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
