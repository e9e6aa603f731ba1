// Products of small matrices, for attention: one head's queries, keys and values.
#if defined(TANDEM_KERNELS_SMALL_PRODUCT) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_KERNELS_SMALL_PRODUCT
#undef TANDEM_KERNELS_SMALL_PRODUCT
#else
#define TANDEM_KERNELS_SMALL_PRODUCT
#endif

#include "hwy/highway.h"
#include "kernels/table.h"
#include "kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::kernels::HWY_NAMESPACE {

// C[m, n] = A[m, k] B[k, n], or += with `accumulate`. A's element (i, l) is at
// a[i * a_row + l * a_col], so that a transposed A needs no copy; rows of B and C are b_row and
// c_row apart.
struct SmallProduct {
  std::int64_t m, n, k;
  const float* a;
  std::int64_t a_row, a_col;
  const float* b;
  std::int64_t b_row;
  float* c;
  std::int64_t c_row;
  bool accumulate;
};

// A tile of kRows rows and kVectors vectors of C stays in registers while k is walked.
template <int kRows, int kVectors, class Vector>
HWY_INLINE void product_tile(const SmallProduct& p, std::int64_t i, std::int64_t j, Vector vector) {
  FloatVector sums[kRows][kVectors];
  HWY_UNROLL(8)
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) {
      sums[r][v] =
          p.accumulate ? vector.load(p.c + (i + r) * p.c_row + j + v * kLanes) : hn::Zero(kFloats);
    }
  }
  const float* a = p.a + i * p.a_row;
  const float* b = p.b + j;
  for (std::int64_t l = 0; l < p.k; ++l, a += p.a_col, b += p.b_row) {
    FloatVector row[kVectors];
    for (int v = 0; v < kVectors; ++v) row[v] = vector.load(b + v * kLanes);
    HWY_UNROLL(8)
    for (int r = 0; r < kRows; ++r) {
      const FloatVector factor = hn::Set(kFloats, a[r * p.a_row]);
      HWY_UNROLL(2)
      for (int v = 0; v < kVectors; ++v) sums[r][v] = hn::MulAdd(factor, row[v], sums[r][v]);
    }
  }
  HWY_UNROLL(8)
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) {
      vector.store(sums[r][v], p.c + (i + r) * p.c_row + j + v * kLanes);
    }
  }
}

// Rows of a tile: enough sums for the latency of their additions, and few enough for registers.
constexpr int kProductRows = HWY_TARGET == HWY_AVX2 ? 6 : 8;

template <int kRows>
HWY_INLINE void product_rows(const SmallProduct& p, std::int64_t i) {
  std::int64_t j = 0;
  for (; j + 2 * kLanes <= p.n; j += 2 * kLanes) product_tile<kRows, 2>(p, i, j, WholeVector());
  for (; j + kLanes <= p.n; j += kLanes) product_tile<kRows, 1>(p, i, j, WholeVector());
  if (j < p.n) product_tile<kRows, 1>(p, i, j, PartialVector(p.n - j));
}

HWY_INLINE void small_product(const SmallProduct& p) {
  std::int64_t i = 0;
  for (; i + kProductRows <= p.m; i += kProductRows) product_rows<kProductRows>(p, i);
  for (; i + 4 <= p.m; i += 4) product_rows<4>(p, i);
  for (; i + 2 <= p.m; i += 2) product_rows<2>(p, i);
  for (; i < p.m; ++i) product_rows<1>(p, i);
}

}  // namespace tandem::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
