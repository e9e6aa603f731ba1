#include "nn/gemm.h"

#include <algorithm>

#include "base/error.h"

namespace tandem {
namespace {

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Tiles of c: as large as a second-level cache of 2 MB likes, in a number that four threads share
// evenly, and narrower where that gives threads too little choice. Results don't depend on it.
struct Tiling {
  static constexpr std::int64_t kRows = 216, kCols = 768, kSharedEvenlyBy = 4;
  static constexpr std::int64_t kRowUnit = 24;  // a multiple of every kernel set's rows of a tile
  static constexpr std::int64_t kTilesPerThread = 4;

  Tiling(std::int64_t c_rows, std::int64_t c_cols, std::int64_t panel_columns, int threads) {
    const std::int64_t wanted =
        divide_up(divide_up(c_rows, kRows), kSharedEvenlyBy) * kSharedEvenlyBy;
    rows = divide_up(divide_up(c_rows, wanted), kRowUnit) * kRowUnit;
    row_tiles = divide_up(c_rows, rows);
    const std::int64_t least = divide_up(kTilesPerThread * threads, row_tiles);
    const std::int64_t narrow = std::min(kCols, divide_up(c_cols, least));
    cols = divide_up(narrow, panel_columns) * panel_columns;
    col_tiles = divide_up(c_cols, cols);
  }
  // No tiling of so many rows has larger tiles.
  static std::int64_t most_rows(std::int64_t c_rows) {
    return std::min(kRows, divide_up(c_rows, kRowUnit) * kRowUnit);
  }
  std::int64_t rows, cols;  // of one tile
  std::int64_t row_tiles, col_tiles;
};

kernels::Operand operand(Matrix<const float> matrix, Transpose transpose) {
  return transpose == Transpose::kNo ? kernels::Operand{matrix.data, matrix.stride, 1}
                                     : kernels::Operand{matrix.data, 1, matrix.stride};
}

void check_shapes(const Product& p) {
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

double Product::flops() const {
  return 2 * static_cast<double>(c.rows) * static_cast<double>(c.cols) *
         static_cast<double>(inner());
}

double Product::bytes() const {
  const auto elements = c.rows * c.cols * (accumulate ? 2 : 1) + (c.rows + c.cols) * inner();
  return static_cast<double>(elements) * sizeof(float);
}

// Grows with the rows and columns, so that what is planned for the largest batch is enough for all.
std::int64_t Gemm::workspace_floats(const Product& product) const {
  const std::int64_t panels = divide_up(product.c.cols, kernels_.panel_columns);
  return panels * kernels_.panel_columns * product.inner() +
         pool_.size() * kernels::panel_product_workspace_floats(Tiling::most_rows(product.c.rows));
}

void Gemm::multiply(const Product& product, std::span<float> workspace,
                    const TileDone& tile_done) const {
  const Matrix<float>& c = product.c;
  if (c.rows == 0 || c.cols == 0) return;
  check_shapes(product);
  const std::int64_t inner = product.inner();
  TANDEM_CHECK(static_cast<std::int64_t>(workspace.size()) >= workspace_floats(product),
               "a workspace of {} floats", workspace.size());
  const std::int64_t panels = divide_up(c.cols, kernels_.panel_columns);
  const std::int64_t panel_floats = kernels_.panel_columns * inner;
  const kernels::Operand b = operand(product.b, product.b_transpose);
  pool_.run(panels, [&](std::int64_t panel, int) {
    kernels_.pack_panel(b, inner, c.cols, panel, workspace.data() + panel * panel_floats);
  });

  const kernels::Operand a = operand(product.a, product.a_transpose);
  const Tiling tiling(c.rows, c.cols, kernels_.panel_columns, pool_.size());
  float* const of_workers = workspace.data() + panels * panel_floats;
  const std::int64_t of_worker = kernels::panel_product_workspace_floats(Tiling::most_rows(c.rows));
  pool_.run(tiling.row_tiles * tiling.col_tiles, [&](std::int64_t task, int worker) {
    const std::int64_t row = task / tiling.col_tiles * tiling.rows;
    const std::int64_t col = task % tiling.col_tiles * tiling.cols;
    const Matrix<float> tile = c.row_range(row, std::min(row + tiling.rows, c.rows))
                                   .col_range(col, std::min(col + tiling.cols, c.cols));
    kernels_.multiply_panels({.a = {a.data + row * a.row_stride, a.row_stride, a.column_stride},
                              .k = inner,
                              .panels = workspace.data() + col * inner,
                              .extent = {tile.rows, tile.cols, tile.stride},
                              .c = tile.data,
                              .accumulate = product.accumulate,
                              .workspace = of_workers + worker * of_worker});
    if (tile_done) tile_done(tile, row, col);
  });
}

}  // namespace tandem
