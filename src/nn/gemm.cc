#include "nn/gemm.h"

#include <algorithm>

#include "base/error.h"

namespace tandem {
namespace {

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Tiles of c. A tile of this size and the panels that it is multiplied by fit a core's second-level
// cache; their number is one that two, four or eight threads share evenly. Products with few rows
// have narrower tiles, so that there are enough.
struct Tiling {
  static constexpr std::int64_t kRows = 216, kCols = 768, kSharedEvenlyBy = 4, kLeastTiles = 16;
  static constexpr std::int64_t kRowUnit = 24;  // a multiple of every kernel set's rows of a tile

  Tiling(std::int64_t c_rows, std::int64_t c_cols, std::int64_t panel_columns) {
    const std::int64_t wanted =
        divide_up(divide_up(c_rows, kRows), kSharedEvenlyBy) * kSharedEvenlyBy;
    rows = divide_up(divide_up(c_rows, wanted), kRowUnit) * kRowUnit;
    row_tiles = divide_up(c_rows, rows);
    const std::int64_t least = divide_up(kLeastTiles, row_tiles);
    const std::int64_t wanted_cols =
        row_tiles >= kSharedEvenlyBy ? kCols : std::min(kCols, divide_up(c_cols, least));
    cols = divide_up(wanted_cols, panel_columns) * panel_columns;
    col_tiles = divide_up(c_cols, cols);
  }
  std::int64_t rows, cols;  // of one tile
  std::int64_t row_tiles, col_tiles;
};

kernels::Operand operand(Matrix<const float> matrix, Transpose transpose) {
  return transpose == Transpose::kNo ? kernels::Operand{matrix.data, matrix.stride, 1}
                                     : kernels::Operand{matrix.data, 1, matrix.stride};
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

std::int64_t Gemm::workspace_floats(const Product& product) const {
  const std::int64_t panels = divide_up(product.c.cols, kernels_.panel_columns);
  const Tiling tiling(product.c.rows, product.c.cols, kernels_.panel_columns);
  return panels * kernels_.panel_columns * product.inner() +
         pool_.size() * kernels::panel_product_workspace_floats(tiling.rows);
}

void Gemm::multiply(const Product& product, std::span<float> workspace,
                    const TileDone& tile_done) const {
  const Matrix<float>& c = product.c;
  if (c.rows == 0 || c.cols == 0) return;
  const std::int64_t inner = product.inner();
  TANDEM_CHECK(static_cast<std::int64_t>(workspace.size()) >= workspace_floats(product),
               "a workspace of {} floats", workspace.size());
  const std::int64_t panel_floats = kernels_.panel_columns * inner;
  const kernels::Operand b = operand(product.b, product.b_transpose);
  const std::int64_t panels = divide_up(c.cols, kernels_.panel_columns);
  pool_.run(panels, [&](std::int64_t panel, int) {
    kernels_.pack_panel(b, inner, c.cols, panel, workspace.data() + panel * panel_floats);
  });

  const kernels::Operand a = operand(product.a, product.a_transpose);
  const Tiling tiling(c.rows, c.cols, kernels_.panel_columns);
  pool_.run(tiling.row_tiles * tiling.col_tiles, [&](std::int64_t task, int worker) {
    const std::int64_t row = task / tiling.col_tiles * tiling.rows;
    const std::int64_t col = task % tiling.col_tiles * tiling.cols;
    const Matrix<float> tile = c.row_range(row, std::min(row + tiling.rows, c.rows))
                                   .col_range(col, std::min(col + tiling.cols, c.cols));
    kernels_.multiply_panels(
        {.a = {a.data + row * a.row_stride, a.row_stride, a.column_stride},
         .k = inner,
         .panels = workspace.data() + col * inner,
         .extent = {tile.rows, tile.cols, tile.stride},
         .c = tile.data,
         .accumulate = product.accumulate,
         .workspace = workspace.data() + panels * panel_floats +
                      worker * kernels::panel_product_workspace_floats(tiling.rows)});
    if (tile_done) tile_done(tile, row, col);
  });
}

}  // namespace tandem
