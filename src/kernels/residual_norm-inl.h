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
#include "kernels/elementwise-inl.h"
#include "kernels/table.h"
#include "kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::kernels::HWY_NAMESPACE {

// sum = residual + dropout(x + bias) of one row; x and sum may be the same memory.
HWY_INLINE void residual_sum_row(const ResidualNormForward& a, const DropoutKey& key,
                                 std::int64_t row, const Extent& e, float* sum) {
  const std::int64_t cols = e.cols;
  const float* const x = a.x + row * e.stride;
  for_vectors(cols, [&](auto vector, std::int64_t c) HWY_ATTR {
    FloatVector value = vector.load(x + c);
    if (a.bias != nullptr) value = hn::Add(value, vector.load(a.bias + c));
    vector.store(value, sum + c);
  });
  if (key.threshold != 0) dropout_row(key, a.tokens, row, cols, sum);
  if (a.residual != nullptr) add(a.residual + row * e.stride, cols, sum);
}

// Two passes over the row for mean and variance: it is in the first-level cache.
void residual_norm_forward(const ResidualNormForward& a, const DropoutKey& key, const Extent& e) {
  const std::int64_t cols = e.cols;
  const float inverse_cols = 1.0F / static_cast<float>(cols);
  for (std::int64_t r = 0; r < e.rows; ++r) {
    float* const row = a.normalized + r * e.stride;
    residual_sum_row(a, key, r, e, row);
    FloatVector total = hn::Zero(kFloats);
    for_vectors(cols, [&](auto vector, std::int64_t c)
                          HWY_ATTR { total = hn::Add(total, vector.load(row + c)); });
    const FloatVector mean = hn::Set(kFloats, sum_of_lanes(total) * inverse_cols);
    FloatVector squares = hn::Zero(kFloats);
    std::int64_t c = 0;
    for (; c + kLanes <= cols; c += kLanes) {
      const FloatVector centred = hn::Sub(hn::LoadU(kFloats, row + c), mean);
      squares = hn::MulAdd(centred, centred, squares);
    }
    float variance = sum_of_lanes(squares);
    for (; c < cols; ++c) {
      const float centred = row[c] - hn::GetLane(mean);
      variance += centred * centred;
    }
    const float rstd = 1.0F / std::sqrt(variance * inverse_cols + a.epsilon);
    a.rstd[r] = rstd;
    const FloatVector scale = hn::Set(kFloats, rstd);
    for_vectors(cols, [&](auto vector, std::int64_t i) HWY_ATTR {
      const FloatVector normalized = hn::Mul(hn::Sub(vector.load(row + i), mean), scale);
      vector.store(normalized, row + i);
      vector.store(hn::MulAdd(normalized, vector.load(a.gamma + i), vector.load(a.beta + i)),
                   a.y + r * e.stride + i);
    });
  }
}

// dsum = rstd (d - mean(d) - normalized mean(d normalized)) with d = dy gamma.
void residual_norm_backward(const ResidualNormBackward& a, const DropoutKey& key, const Extent& e) {
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
    for_vectors(cols, [&](auto vector, std::int64_t c) HWY_ATTR {
      const FloatVector d = hn::Mul(vector.load(a.dy + at + c), vector.load(a.gamma + c));
      const FloatVector centred = hn::Sub(d, mean_d);
      const FloatVector normalized = vector.load(a.normalized + at + c);
      const FloatVector dsum = hn::Mul(rstd, hn::NegMulAdd(normalized, mean_dn, centred));
      vector.store(dsum, a.dsum + at + c);
      if (a.dx != nullptr) vector.store(dsum, a.dx + at + c);
    });
    if (a.dx == nullptr) continue;
    if (key.threshold != 0) dropout_row(key, a.tokens, r, cols, a.dx + at);
    add(a.dx + at, cols, a.d_bias);
  }
}

}  // namespace tandem::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
