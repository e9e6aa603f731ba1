// Transposes, for products whose right operand lies the other way round.
#if defined(TANDEM_KERNELS_TRANSPOSE) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_KERNELS_TRANSPOSE
#undef TANDEM_KERNELS_TRANSPOSE
#else
#define TANDEM_KERNELS_TRANSPOSE
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::kernels::HWY_NAMESPACE {

using BlockTag = hn::FixedTag<float, 4>;
using BlockVector = hn::Vec<BlockTag>;

// Four rows of four elements, `row` apart, as their four columns, `to_row` apart.
HWY_INLINE void transpose_4x4(const float* from, std::int64_t row, float* to, std::int64_t to_row) {
  const BlockTag d;
  const hn::Repartition<double, BlockTag> pairs;
  const BlockVector r0 = hn::LoadU(d, from);
  const BlockVector r1 = hn::LoadU(d, from + row);
  const BlockVector r2 = hn::LoadU(d, from + 2 * row);
  const BlockVector r3 = hn::LoadU(d, from + 3 * row);
  const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, r0, r1));
  const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, r2, r3));
  const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, r0, r1));
  const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, r2, r3));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23)), d, to);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23)), d, to + to_row);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23)), d, to + 2 * to_row);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23)), d, to + 3 * to_row);
}

// to[c, r] = from[r, c] for from [rows, cols]; what is in `to` beyond that is left as it is.
HWY_INLINE void transpose(const float* from, std::int64_t rows, std::int64_t cols,
                          std::int64_t from_row, float* to, std::int64_t to_row) {
  const std::int64_t whole_rows = rows / 4 * 4;
  const std::int64_t whole_cols = cols / 4 * 4;
  for (std::int64_t r = 0; r < whole_rows; r += 4) {
    for (std::int64_t c = 0; c < whole_cols; c += 4) {
      transpose_4x4(from + r * from_row + c, from_row, to + c * to_row + r, to_row);
    }
  }
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = r < whole_rows ? whole_cols : 0; c < cols; ++c) {
      to[c * to_row + r] = from[r * from_row + c];
    }
  }
}

}  // namespace tandem::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
