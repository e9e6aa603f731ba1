#include "nn/gemm.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "nn/onednn_bf16.h"

namespace tandem {
namespace {

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Tiles of c: as large as a second-level cache of 2 MB likes, in a number that four threads share
// evenly, and narrower where that gives threads too little choice. The last tile takes in a single
// row or column that would be left over. Results don't depend on it.
class Tiling {
 public:
  Tiling(const kernels::Extent& c, std::int64_t panel_columns, int threads)
      : c_rows_(c.rows), c_cols_(c.cols) {
    const std::int64_t wanted =
        divide_up(divide_up(c_rows_, kRows), kSharedEvenlyBy) * kSharedEvenlyBy;
    rows_ = divide_up(divide_up(c_rows_, wanted), kRowUnit) * kRowUnit;
    row_tiles_ = count_of_tiles(c_rows_, rows_);
    const std::int64_t least = divide_up(kTilesPerThread * threads, row_tiles_);
    const std::int64_t narrow = std::min(kCols, divide_up(c_cols_, least));
    cols_ = divide_up(narrow, panel_columns) * panel_columns;
    col_tiles_ = count_of_tiles(c_cols_, cols_);
  }

  struct Tile {
    std::int64_t row, col, row_end, col_end;
  };
  std::int64_t tiles() const { return row_tiles_ * col_tiles_; }
  Tile tile(std::int64_t number) const {
    const std::int64_t r = number / col_tiles_;
    const std::int64_t c = number % col_tiles_;
    return {.row = r * rows_,
            .col = c * cols_,
            .row_end = r + 1 == row_tiles_ ? c_rows_ : (r + 1) * rows_,
            .col_end = c + 1 == col_tiles_ ? c_cols_ : (c + 1) * cols_};
  }

  // No tiling of so many rows, or columns, has larger tiles.
  static std::int64_t most_rows(std::int64_t c_rows) { return std::min(kRows + 1, c_rows); }
  static std::int64_t most_cols(std::int64_t c_cols) { return std::min(kCols + 1, c_cols); }

 private:
  static constexpr std::int64_t kRows = 216, kCols = 768, kSharedEvenlyBy = 4;
  static constexpr std::int64_t kRowUnit = 24;  // a multiple of every kernel set's rows of a tile
  static constexpr std::int64_t kTilesPerThread = 4;

  static std::int64_t count_of_tiles(std::int64_t count, std::int64_t of_one) {
    return count > 1 && count % of_one == 1 ? count / of_one : divide_up(count, of_one);
  }

  std::int64_t c_rows_, c_cols_;
  std::int64_t rows_, cols_;  // of one tile but the last
  std::int64_t row_tiles_, col_tiles_;
};

// From that row and column on.
template <class T>
kernels::Operand<T> part_of(const kernels::Operand<T>& operand, std::int64_t row,
                            std::int64_t col) {
  return {operand.data + row * operand.row_stride + col * operand.column_stride, operand.row_stride,
          operand.column_stride};
}

template <class T, class C>
void check_shapes(const Product<T, C>& p) {
  const bool a_fits = (p.a_transpose == Transpose::kNo ? p.a.rows : p.a.cols) == p.c.rows;
  const bool b_fits = (p.b_transpose == Transpose::kNo ? p.b.cols : p.b.rows) == p.c.cols;
  const bool inner_fits =
      (p.b_transpose == Transpose::kNo ? p.b.rows : p.b.cols) == p.inner() && p.inner() > 0;
  TANDEM_CHECK(a_fits && b_fits && inner_fits && p.a.stride >= p.a.cols && p.b.stride >= p.b.cols &&
                   p.c.stride >= p.c.cols,
               "a {} x {}, b {} x {}, c {} x {}", p.a.rows, p.a.cols, p.b.rows, p.b.cols, p.c.rows,
               p.c.cols);
}

}  // namespace

// How a product's workspace is divided: op(b) in panels; then, for each thread, a part of op(a),
// and a tile's sums where c doesn't hold them. What oneDNN multiplies needs sums alone; but the
// rows of another batch may be a single one, which takes the rest, while those of a transposed a
// are as many in any batch.
template <class T, class C>
struct Gemm::Run {
  Run(const Gemm& gemm, const Product<T, C>& product)
      : by_onednn(!std::is_same_v<T, float> && gemm.bf16_ != nullptr && product.c.rows > 1 &&
                  product.c.cols > 1),
        has_panels(!by_onednn || product.a_transpose == Transpose::kNo),
        panels(divide_up(product.c.cols, gemm.kernels_.panel_columns)),
        panel_floats(has_panels ? gemm.kernels_.panel_columns * product.inner() : 0),
        a_floats(has_panels
                     ? kernels::panel_product_workspace_floats(Tiling::most_rows(product.c.rows))
                     : 0),
        sums_floats(std::is_same_v<C, float>
                        ? 0
                        : Tiling::most_rows(product.c.rows) * Tiling::most_cols(product.c.cols)),
        floats(panels * panel_floats + gemm.pool_.size() * (a_floats + sums_floats)) {}

  float* of_worker(std::span<float> workspace, int worker) const {
    return workspace.data() + panels * panel_floats + worker * (a_floats + sums_floats);
  }

  bool by_onednn, has_panels;
  std::int64_t panels, panel_floats, a_floats, sums_floats, floats;
};

Gemm::Gemm(ThreadPool& pool, const kernels::Table& kernels, std::unique_ptr<OneDnnBf16> bf16)
    : pool_(pool), kernels_(kernels), bf16_(std::move(bf16)) {}
Gemm::~Gemm() = default;

template <class T, class C>
std::int64_t Gemm::workspace_floats(const Product<T, C>& product) const {
  return Run<T, C>(*this, product).floats;
}

template <class T, class C>
void Gemm::multiply(const Product<T, C>& product, std::span<float> workspace,
                    const TileDone<C>& tile_done) const {
  const Matrix<C>& c = product.c;
  if (c.rows == 0 || c.cols == 0) return;
  check_shapes(product);
  constexpr bool kSumsInPlace = std::is_same_v<C, float>;
  TANDEM_CHECK(kSumsInPlace || !tile_done || !product.accumulate, "sums alone can't be added to");
  const std::int64_t inner = product.inner();
  const Run<T, C> run(*this, product);
  TANDEM_CHECK(static_cast<std::int64_t>(workspace.size()) >= run.floats,
               "a workspace of {} floats", workspace.size());
  const kernels::ActivationKernels<T>& kernels = kernels_.of<T>();
  const kernels::Operand<T> a = operand(product.a, product.a_transpose);
  const kernels::Operand<T> b = operand(product.b, product.b_transpose);
  pool_.run(run.by_onednn ? 0 : run.panels, [&](std::int64_t panel, int) {
    kernels.pack_panel(b, inner, c.cols, panel, workspace.data() + panel * run.panel_floats);
  });

  const Tiling tiling({c.rows, c.cols, c.stride}, kernels_.panel_columns, pool_.size());
  pool_.run(tiling.tiles(), [&](std::int64_t task, int worker) {
    const auto [row, col, row_end, col_end] = tiling.tile(task);
    const Matrix<C> tile = c.row_range(row, row_end).col_range(col, col_end);
    float* const own = run.of_worker(workspace, worker);
    Matrix<float> sums{own + run.a_floats, tile.rows, tile.cols, tile.cols};
    if constexpr (kSumsInPlace) sums = tile;
    const kernels::Extent extent{sums.rows, sums.cols, sums.stride};
    const bool add_to_sums = kSumsInPlace && product.accumulate;
    if (run.by_onednn) {
      if constexpr (!std::is_same_v<T, float>) {
        bf16_->multiply(part_of(a, row, 0), part_of(b, 0, col), inner, extent, sums.data,
                        add_to_sums, worker);
      }
    } else {
      kernels.multiply_panels({.a = part_of(a, row, 0),
                               .k = inner,
                               .panels = workspace.data() + col * inner,
                               .extent = extent,
                               .c = sums.data,
                               .accumulate = add_to_sums,
                               .workspace = own});
    }
    if (tile_done) {
      tile_done({sums.data, sums.stride}, tile, row, col);
    } else if constexpr (!kSumsInPlace) {
      kernels_.store_sums({sums.data, sums.stride}, {tile.rows, tile.cols, tile.stride},
                          product.accumulate, tile.data);
    }
  });
}

template std::int64_t Gemm::workspace_floats(const Product<float>&) const;
template std::int64_t Gemm::workspace_floats(const Product<BFloat16>&) const;
template std::int64_t Gemm::workspace_floats(const Product<BFloat16, float>&) const;
template void Gemm::multiply(const Product<float>&, std::span<float>, const TileDone<float>&) const;
template void Gemm::multiply(const Product<BFloat16>&, std::span<float>,
                             const TileDone<BFloat16>&) const;
template void Gemm::multiply(const Product<BFloat16, float>&, std::span<float>,
                             const TileDone<float>&) const;

}  // namespace tandem
