// Sums, biases and scales.
#if defined(TANDEM_KERNELS_ELEMENTWISE) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_KERNELS_ELEMENTWISE
#undef TANDEM_KERNELS_ELEMENTWISE
#else
#define TANDEM_KERNELS_ELEMENTWISE
#endif

#include "hwy/highway.h"
#include "kernels/table.h"
#include "kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::kernels::HWY_NAMESPACE {

template <class T>
void add(const T* x, std::int64_t count, float* y) {
  for_vectors(count, [&](auto vector, std::int64_t i) HWY_ATTR {
    vector.store(hn::Add(vector.load(y + i), vector.load(x + i)), y + i);
  });
}

template <class T>
void add_bias(const Sums& sums, const float* bias, const Extent& e, T* y) {
  for (std::int64_t r = 0; r < e.rows; ++r) {
    const float* const row = sums.data + r * sums.stride;
    for_vectors(e.cols, [&](auto vector, std::int64_t c) HWY_ATTR {
      vector.store(hn::Add(vector.load(row + c), vector.load(bias + c)), y + r * e.stride + c);
    });
  }
}

void widen(const BFloat16* x, std::int64_t count, float* y) { convert_row(x, count, y); }

void store_sums(const Sums& sums, const Extent& e, bool accumulate, BFloat16* y) {
  for (std::int64_t r = 0; r < e.rows; ++r) {
    const float* const row = sums.data + r * sums.stride;
    BFloat16* const to = y + r * e.stride;
    if (!accumulate) {
      convert_row(row, e.cols, to);
      continue;
    }
    for_vectors(e.cols, [&](auto vector, std::int64_t c) HWY_ATTR {
      vector.store(hn::Add(vector.load(row + c), vector.load(to + c)), to + c);
    });
  }
}

template <class T>
void add_column_sums(const T* x, const Extent& e, float* sum) {
  for (std::int64_t r = 0; r < e.rows; ++r) add(x + r * e.stride, e.cols, sum);
}

double sum_of_squares(const float* x, std::int64_t count) {
  const hn::ScalableTag<double> doubles;
  const hn::Rebind<float, hn::ScalableTag<double>> half;
  constexpr auto kStep = static_cast<std::int64_t>(hn::MaxLanes(hn::ScalableTag<double>()));
  auto sum0 = hn::Zero(doubles);
  auto sum1 = hn::Zero(doubles);
  std::int64_t i = 0;
  for (; i + 2 * kStep <= count; i += 2 * kStep) {
    const auto low = hn::PromoteTo(doubles, hn::LoadU(half, x + i));
    const auto high = hn::PromoteTo(doubles, hn::LoadU(half, x + i + kStep));
    sum0 = hn::MulAdd(low, low, sum0);
    sum1 = hn::MulAdd(high, high, sum1);
  }
  double total = hn::GetLane(hn::SumOfLanes(doubles, hn::Add(sum0, sum1)));
  for (; i < count; ++i) total += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  return total;
}

template <class T>
void scale_and_shift(const T* normalized, const float* gamma, const float* beta, const Extent& e,
                     T* y) {
  for (std::int64_t r = 0; r < e.rows; ++r) {
    for_vectors(e.cols, [&](auto vector, std::int64_t c) HWY_ATTR {
      const FloatVector value = vector.load(normalized + r * e.stride + c);
      vector.store(hn::MulAdd(value, vector.load(gamma + c), vector.load(beta + c)),
                   y + r * e.stride + c);
    });
  }
}

}  // namespace tandem::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
