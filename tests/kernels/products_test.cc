// Packing and products of large matrices, panel by panel as nn/gemm.cc calls them.
#include <tuple>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/kernel_rows.h"
#include "support/usable_kernels.h"

namespace tandem {
namespace {

using testing::EveryKernelSet;
using testing::expect_close;
using testing::random_rows;

// A matrix [rows, cols] as it is or transposed, with gaps.
template <class T>
struct Stored {
  bool transposed;
  kernels::Extent extent;  // of the memory
  std::vector<T> values;

  Stored(std::int64_t rows, std::int64_t cols, bool is_transposed, std::uint32_t seed)
      : transposed(is_transposed),
        extent{is_transposed ? cols : rows, is_transposed ? rows : cols,
               (is_transposed ? rows : cols) + testing::kGap},
        values(random_rows<T>(extent, seed)) {}

  kernels::Operand<T> operand() const {
    return {values.data(), transposed ? 1 : extent.stride, transposed ? extent.stride : 1};
  }
  float at(std::int64_t row, std::int64_t col) const {
    const kernels::Operand<T> o = operand();
    return to_float(o.data[row * o.row_stride + col * o.column_stride]);
  }
};

template <class T>
std::vector<float> packed(const kernels::Table& table, const Stored<T>& b, std::int64_t k,
                          std::int64_t n) {
  const std::int64_t panels = (n + table.panel_columns - 1) / table.panel_columns;
  const std::int64_t panel_size = k * table.panel_columns;
  std::vector<float> result(static_cast<std::size_t>(panels * panel_size), testing::kGapValue);
  for (std::int64_t panel = 0; panel < panels; ++panel) {
    table.of<T>().pack_panel(b.operand(), k, n, panel, result.data() + panel * panel_size);
  }
  return result;
}

class ProductKernels : public EveryKernelSet {};

TEST_P(ProductKernels, PackEachColumnAndZerosBeyondTheLast) {
  const kernels::Table& table = *GetParam();
  testing::for_each_type([&]<class T>() {
    for (const auto& [k, n] : {std::tuple{1, 1}, {5, 17}, {64, 48}, {70, 33}, {130, 100}}) {
      for (const bool transposed : {false, true}) {
        SCOPED_TRACE(fmt::format("[{}, {}]{}", k, n, transposed ? " transposed" : ""));
        const Stored<T> b(k, n, transposed, 1);
        const std::vector<float> panels = packed(table, b, k, n);
        for (std::int64_t i = 0; i < std::ssize(panels); ++i) {
          const std::int64_t row = i / table.panel_columns % k;
          const std::int64_t col =
              i / table.panel_columns / k * table.panel_columns + i % table.panel_columns;
          ASSERT_EQ(panels[static_cast<std::size_t>(i)], col < n ? b.at(row, col) : 0)
              << row << ", " << col;
        }
      }
    }
  });
}

TEST_P(ProductKernels, MultiplyAsTheReference) {
  testing::for_each_type([&]<class T>() {
    for (const auto& [m, n, k] :
         {std::tuple{1, 2, 3}, {6, 48, 64}, {8, 32, 65}, {40, 70, 33}, {23, 100, 450}}) {
      for (const bool transposed : {false, true}) {
        for (const bool accumulate : {false, true}) {
          SCOPED_TRACE(fmt::format("[{}, {}] [{}, {}]", m, k, k, n));
          const Stored<T> a(m, k, transposed, 1);
          const Stored<T> b(k, n, false, 2);
          const kernels::Extent extent = {m, n, n + testing::kGap};
          const auto run = [&](const kernels::Table& table) {
            const std::vector<float> panels = packed(table, b, k, n);
            std::vector<float> workspace(
                static_cast<std::size_t>(kernels::panel_product_workspace_floats(m)));
            auto c = random_rows<float>(extent, 3);
            table.of<T>().multiply_panels({.a = a.operand(),
                                           .k = k,
                                           .panels = panels.data(),
                                           .extent = extent,
                                           .c = c.data(),
                                           .accumulate = accumulate,
                                           .workspace = workspace.data()});
            return c;
          };
          // Widened operands are multiplied as fp32, bf16 or not.
          expect_close(run(*GetParam()), run(kernels::reference_table()), extent);
        }
      }
    }
  });
}

TANDEM_FOR_EVERY_KERNEL_SET(ProductKernels);

}  // namespace
}  // namespace tandem
