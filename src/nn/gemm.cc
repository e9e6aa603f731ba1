#include "nn/gemm.h"

#include <algorithm>
#include <string>

#include <dnnl.h>

#include "base/error.h"

// OpenMP 5.0, section 3.2.1. Declared here because clang has no <omp.h> unless its own OpenMP
// library is installed, while oneDNN brings gcc's.
extern "C" void omp_set_num_threads(int threads);

namespace tandem {
namespace {

// Tiles large enough that packing the operands costs little, in numbers that two, four or eight
// threads share evenly.
constexpr std::int64_t kTileRows = 256, kTileCols = 1024, kSharedEvenlyBy = 4, kLeastRows = 32;

struct Tiling {
  std::int64_t rows, cols;  // of one tile
  std::int64_t row_tiles, col_tiles;
};

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

Tiling tiling_of(std::int64_t rows, std::int64_t cols) {
  const std::int64_t wanted =
      divide_up(divide_up(rows, kTileRows), kSharedEvenlyBy) * kSharedEvenlyBy;
  Tiling tiling{};
  tiling.rows = std::max(kLeastRows, divide_up(divide_up(rows, wanted), 8) * 8);
  tiling.row_tiles = divide_up(rows, tiling.rows);
  tiling.cols = divide_up(divide_up(cols, divide_up(cols, kTileCols)), 16) * 16;
  tiling.col_tiles = divide_up(cols, tiling.cols);
  return tiling;
}

// Rows [row, ...) of op(a), columns [col, ...) of op(b).
Product tile_of(const Product& p, const Tiling& tiling, std::int64_t tile) {
  const std::int64_t row = tile / tiling.col_tiles * tiling.rows;
  const std::int64_t col = tile % tiling.col_tiles * tiling.cols;
  const std::int64_t row_end = std::min(row + tiling.rows, p.c.rows);
  const std::int64_t col_end = std::min(col + tiling.cols, p.c.cols);
  Product part = p;
  part.a =
      p.a_transpose == Transpose::kNo ? p.a.row_range(row, row_end) : p.a.col_range(row, row_end);
  part.b =
      p.b_transpose == Transpose::kNo ? p.b.col_range(col, col_end) : p.b.row_range(col, col_end);
  part.c = p.c.row_range(row, row_end).col_range(col, col_end);
  return part;
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

void multiply_on_this_thread(const Product& p) {
  // Our threads divide the work; a library call must not start threads of its own.
  omp_set_num_threads(1);
  const auto letter = [](Transpose t) { return t == Transpose::kNo ? 'N' : 'T'; };
  const dnnl_status_t status = dnnl_sgemm(
      letter(p.a_transpose), letter(p.b_transpose), p.c.rows, p.c.cols, p.inner(), 1.0F,
      p.a.data, p.a.stride, p.b.data, p.b.stride, p.accumulate ? 1.0F : 0.0F, p.c.data, p.c.stride);
  TANDEM_CHECK(status == dnnl_success, "dnnl_sgemm returned {}", static_cast<int>(status));
}

namespace {

void multiply_with_plain_loops(const Product& p) {
  const auto element = [](Matrix<const float> m, Transpose t, std::int64_t r, std::int64_t c) {
    return double{t == Transpose::kNo ? m.row(r)[c] : m.row(c)[r]};
  };
  for (std::int64_t r = 0; r < p.c.rows; ++r) {
    for (std::int64_t c = 0; c < p.c.cols; ++c) {
      double sum = p.accumulate ? double{p.c.row(r)[c]} : 0;
      for (std::int64_t k = 0; k < p.inner(); ++k) {
        sum += element(p.a, p.a_transpose, r, k) * element(p.b, p.b_transpose, k, c);
      }
      p.c.row(r)[c] = static_cast<float>(sum);
    }
  }
}

}  // namespace

void cap_gemm_instructions(std::string_view kernels) {
  // With avx512 oneDNN's own choice is the best there is; the reference kernels never call it.
  if (kernels != "avx2") return;
  const bool capped = dnnl_set_max_cpu_isa(dnnl_cpu_isa_avx2) == dnnl_success;
  // Once oneDNN has been used the cap can't change, which is no harm when it is the same.
  if (!capped && dnnl_get_effective_cpu_isa() != dnnl_cpu_isa_avx2) {
    throw UsageError(
        "--kernels={}: oneDNN cannot be limited to these instructions (it was built without the "
        "option, or used before); use --kernels=auto",
        kernels);
  }
}

std::string gemm_library_version() {
  const dnnl_version_t* version = dnnl_version();
  return fmt::format("{}.{}.{}", version->major, version->minor, version->patch);
}

Gemm::Gemm(ThreadPool& pool, const kernels::Table& kernels)
    : pool_(pool), plain_loops_(std::string_view(kernels.name) == "reference") {}

void Gemm::multiply(const Product& product, const TileDone& tile_done) {
  if (product.c.rows == 0 || product.c.cols == 0) return;
  const Tiling tiling = tiling_of(product.c.rows, product.c.cols);
  pool_.run(tiling.row_tiles * tiling.col_tiles, [&](std::int64_t tile, int) {
    const Product part = tile_of(product, tiling, tile);
    if (plain_loops_) {
      multiply_with_plain_loops(part);
    } else {
      multiply_on_this_thread(part);
    }
    if (tile_done) {
      tile_done(part.c, tile / tiling.col_tiles * tiling.rows,
                tile % tiling.col_tiles * tiling.cols);
    }
  });
}

}  // namespace tandem
