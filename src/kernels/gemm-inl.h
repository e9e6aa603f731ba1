// Products of large matrices: C = A B with B packed in panels of columns. Operands of bf16 are
// widened when they are packed, and multiplied as floats.
#if defined(TANDEM_KERNELS_GEMM) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_KERNELS_GEMM
#undef TANDEM_KERNELS_GEMM
#else
#define TANDEM_KERNELS_GEMM
#endif

#include <type_traits>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "kernels/table.h"
#include "kernels/transpose-inl.h"
#include "kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::kernels::HWY_NAMESPACE {

// A tile of C of kTileRows x kTileVectors stays in registers: 24 of AVX-512's 32 accumulate, 12 of
// AVX2's 16. A panel is as wide as a tile.
constexpr int kTileRows = HWY_TARGET == HWY_AVX2 ? 6 : 8;
constexpr int kTileVectors = HWY_TARGET == HWY_AVX2 ? 2 : 3;
constexpr std::int64_t kPanelColumns = kTileVectors * kLanes;
// Rows of a panel that are multiplied at a time: chosen for a first-level cache of 48 KB, which
// they fill with the tile's rows of A. Part of a sum's order, so the same for every shape.
constexpr std::int64_t kInnerBlock = HWY_TARGET == HWY_AVX2 ? 384 : 192;
static_assert(kInnerBlock <= kLongestInnerBlock);
// Columns that are transposed at a time: their rows of a panel stay in the first-level cache.
constexpr std::int64_t kTransposeBlock = 64;

// packed[k, c] = b[k, c] for rows of B, or b[c, k] of its transpose.
template <class T>
HWY_INLINE void pack_rows(const T* b, std::int64_t row, std::int64_t k, std::int64_t columns,
                          float* packed) {
  for (std::int64_t l = 0; l < k; ++l) {
    float* const to = packed + l * kPanelColumns;
    for_vectors(columns, [&](auto vector, std::int64_t c)
                             HWY_ATTR { vector.store(vector.load(b + l * row + c), to + c); });
    for (std::int64_t c = columns; c < kPanelColumns; ++c) to[c] = 0;
  }
}

// As transpose() has it; bf16 is widened on the way.
HWY_INLINE void widen_and_transpose(const float* from, std::int64_t rows, std::int64_t cols,
                                    std::int64_t from_row, float* to, std::int64_t to_row) {
  transpose(from, rows, cols, from_row, to, to_row);
}
HWY_INLINE void widen_and_transpose(const BFloat16* from, std::int64_t rows, std::int64_t cols,
                                    std::int64_t from_row, float* to, std::int64_t to_row) {
  HWY_ALIGN float block[kPanelColumns * kTransposeBlock];
  for (std::int64_t r = 0; r < rows; ++r) {
    convert_row(from + r * from_row, cols, block + r * kTransposeBlock);
  }
  transpose(block, rows, cols, kTransposeBlock, to, to_row);
}

template <class T>
void pack_panel(const Operand<T>& b, std::int64_t k, std::int64_t n, std::int64_t panel,
                float* packed) {
  const std::int64_t first = panel * kPanelColumns;
  const std::int64_t columns = n - first < kPanelColumns ? n - first : kPanelColumns;
  if (b.column_stride == 1) {
    pack_rows(b.data + first, b.row_stride, k, columns, packed);
    return;
  }
  if (columns < kPanelColumns) {
    for (std::int64_t i = 0; i < k * kPanelColumns; ++i) packed[i] = 0;
  }
  for (std::int64_t l = 0; l < k; l += kTransposeBlock) {
    widen_and_transpose(b.data + first * b.column_stride + l, columns,
                        k - l < kTransposeBlock ? k - l : kTransposeBlock, b.column_stride,
                        packed + l * kPanelColumns, kPanelColumns);
  }
}

// One tile: kRows rows of A times `k` rows of a panel. Not inlined, or gcc would keep the addresses
// of all rows of C in memory from one tile to the next.
template <int kRows, bool kWholePanel>
HWY_NOINLINE void multiply_tile(Operand<float> a, std::int64_t k, const float* HWY_RESTRICT panel,
                                const Extent& c_extent, float* HWY_RESTRICT c, bool accumulate) {
  FloatVector sums[kRows][kTileVectors];
  HWY_UNROLL(8)
  for (int r = 0; r < kRows; ++r) {
    HWY_UNROLL(8)
    for (int v = 0; v < kTileVectors; ++v) {
      sums[r][v] = hn::Zero(kFloats);
      hwy::Prefetch(c + r * c_extent.stride + v * kLanes);
    }
  }
  for (std::int64_t l = 0; l < k; ++l) {
    FloatVector b[kTileVectors];
    HWY_UNROLL(8)
    for (int v = 0; v < kTileVectors; ++v) b[v] = hn::LoadU(kFloats, panel + v * kLanes);
    HWY_UNROLL(8)
    for (int r = 0; r < kRows; ++r) {
      const FloatVector factor = hn::Set(kFloats, a.data[r * a.row_stride]);
      HWY_UNROLL(8)
      for (int v = 0; v < kTileVectors; ++v) sums[r][v] = hn::MulAdd(factor, b[v], sums[r][v]);
    }
    a.data += a.column_stride;
    panel += kPanelColumns;
  }
  HWY_UNROLL(8)
  for (int r = 0; r < kRows; ++r) {
    HWY_UNROLL(8)
    for (int v = 0; v < kTileVectors; ++v) {
      float* const to = c + r * c_extent.stride + v * kLanes;
      if constexpr (kWholePanel) {
        if (accumulate) sums[r][v] = hn::Add(sums[r][v], hn::LoadU(kFloats, to));
        hn::StoreU(sums[r][v], kFloats, to);
      } else if (v * kLanes < c_extent.cols) {
        const std::int64_t left = c_extent.cols - v * kLanes;
        const PartialVector vector(left < kLanes ? left : kLanes);
        if (accumulate) sums[r][v] = hn::Add(sums[r][v], vector.load(to));
        vector.store(sums[r][v], to);
      }
    }
  }
}

// All rows of C times one panel, while the next one is fetched from the last-level cache. `packed`
// is what pack_a made of A, or of a transposed one.
template <bool kWholePanel>
HWY_INLINE void multiply_panel(const float* packed, bool transposed, std::int64_t k,
                               const float* panel, const float* next_panel, const Extent& c_extent,
                               float* c, bool accumulate) {
  constexpr std::int64_t kLine = 16;  // floats
  const std::int64_t tiles = c_extent.rows / kTileRows;
  const std::int64_t lines = tiles > 0 ? (k * kPanelColumns / kLine + tiles - 1) / tiles : 0;
  std::int64_t r = 0;
  for (; r + kTileRows <= c_extent.rows; r += kTileRows) {
    for (std::int64_t i = 0; i < lines; ++i) {
      __builtin_prefetch(next_panel + (r / kTileRows * lines + i) * kLine, 0, 2);
    }
    const Operand<float> a = transposed ? Operand<float>{packed + r * k, 1, kTileRows}
                                        : Operand<float>{packed + r * k, k, 1};
    multiply_tile<kTileRows, kWholePanel>(a, k, panel, c_extent, c + r * c_extent.stride,
                                          accumulate);
  }
  const auto rest = [&](auto count) HWY_ATTR {
    for (; r + count.value <= c_extent.rows; r += count.value) {
      multiply_tile<count.value, kWholePanel>({packed + r * k, k, 1}, k, panel, c_extent,
                                              c + r * c_extent.stride, accumulate);
    }
  };
  rest(std::integral_constant<int, 4>());
  rest(std::integral_constant<int, 2>());
  rest(std::integral_constant<int, 1>());
}

// Columns [0, k) of op(A) where all threads' tiles read them from consecutive memory: rows of the
// matrix are on different pages. Whole tiles of a transposed A become packed[tile][l][r], its other
// rows and those of A as it is packed[r][l].
template <class T>
HWY_INLINE void pack_a(const Operand<T>& a, bool transposed, std::int64_t rows, std::int64_t k,
                       float* packed) {
  const std::int64_t whole = transposed ? rows / kTileRows * kTileRows : 0;
  for (std::int64_t l = 0; l < k; ++l) {
    const T* const from = a.data + l * a.column_stride;
    for (std::int64_t r = 0; r < whole; r += kTileRows) {
      for (int i = 0; i < kTileRows; ++i) {
        packed[r * k + l * kTileRows + i] = to_float(from[r + i]);
      }
    }
  }
  for (std::int64_t r = whole; r < rows; ++r) {
    const T* const from = a.data + r * a.row_stride;
    if (a.column_stride == 1) {
      for_vectors(k, [&](auto vector, std::int64_t l)
                         HWY_ATTR { vector.store(vector.load(from + l), packed + r * k + l); });
    } else {
      for (std::int64_t l = 0; l < k; ++l) packed[r * k + l] = to_float(from[l * a.column_stride]);
    }
  }
}

template <class T>
void multiply_panels(const PanelProduct<T>& p) {
  const bool transposed = p.a.column_stride != 1;
  for (std::int64_t l = 0; l < p.k; l += kInnerBlock) {
    const std::int64_t inner = p.k - l < kInnerBlock ? p.k - l : kInnerBlock;
    const T* const columns = p.a.data + l * p.a.column_stride;
    pack_a<T>({columns, p.a.row_stride, p.a.column_stride}, transposed, p.extent.rows, inner,
              p.workspace);
    const bool accumulate = p.accumulate || l > 0;
    for (std::int64_t col = 0; col < p.extent.cols; col += kPanelColumns) {
      const float* const panel = p.panels + (col * p.k + l * kPanelColumns);
      const float* const next_panel = panel + kPanelColumns * p.k;
      const std::int64_t left = p.extent.cols - col;
      const Extent extent = {p.extent.rows, left < kPanelColumns ? left : kPanelColumns,
                             p.extent.stride};
      if (left >= kPanelColumns) {
        multiply_panel<true>(p.workspace, transposed, inner, panel, next_panel, extent, p.c + col,
                             accumulate);
      } else {
        multiply_panel<false>(p.workspace, transposed, inner, panel, next_panel, extent, p.c + col,
                              accumulate);
      }
    }
  }
}

}  // namespace tandem::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
