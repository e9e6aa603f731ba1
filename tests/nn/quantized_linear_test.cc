#include "nn/quantized_linear.h"

#include <cmath>

#include "support/layer_fixture.h"

namespace tandem {
namespace {

using testing::elements;

TEST(QuantizedWeight, KeepsEachOutputWithinHalfAStep) {
  testing::LayerFixture fixture;
  const Matrix<float> weight = fixture.random_matrix(5, 40, 1);
  std::fill_n(weight.row(3), 40, 0.0F);
  const QuantizedWeight quantized = quantize_weight(weight);
  for (std::int64_t o = 0; o < 5; ++o) {
    const float scale = quantized.scale[static_cast<std::size_t>(o)];
    for (std::int64_t i = 0; i < 40; ++i) {
      const auto value = static_cast<float>(quantized.values[static_cast<std::size_t>(o * 40 + i)]);
      EXPECT_NEAR(value * scale, weight.row(o)[i], 0.501F * scale);
    }
  }
}

TEST(QuantizedLinear, IsAsCloseToTheFloatsAsItsStepsAllow) {
  if (!onednn_multiplies_int8()) GTEST_SKIP() << "this CPU has no fast products of 8-bit integers";
  testing::LayerFixture fixture;
  constexpr std::int64_t kRows = 133, kIn = 96, kOut = 50;
  Step step = fixture.step();
  const Matrix<float> x = fixture.random_matrix(kRows, kIn, 1);
  const Matrix<float> weight = fixture.random_matrix(kOut, kIn, 2);
  const Matrix<float> y = fixture.random_matrix(kRows, kOut, 3);
  const Matrix<float> seen = fixture.random_matrix(kRows, kOut, 4);
  std::ranges::fill(elements(seen), 0.0F);
  const QuantizedLinear layer(quantize_weight(weight));
  layer.multiply(x, y, step,
                 [&](const kernels::Sums&, Matrix<float> tile, std::int64_t row, std::int64_t col) {
                   for (std::int64_t r = 0; r < tile.rows; ++r) {
                     for (std::int64_t c = 0; c < tile.cols; ++c) seen.row(row + r)[col + c] += 1;
                   }
                 });
  EXPECT_TRUE(std::ranges::all_of(elements(seen), [](float count) { return count == 1; }));
  double error = 0;
  double size = 0;
  for (std::int64_t r = 0; r < kRows; ++r) {
    for (std::int64_t o = 0; o < kOut; ++o) {
      double exact = 0;
      for (std::int64_t i = 0; i < kIn; ++i)
        exact += double{x.row(r)[i]} * double{weight.row(o)[i]};
      error += (y.row(r)[o] - exact) * (y.row(r)[o] - exact);
      size += exact * exact;
    }
  }
  // Both operands are rounded to steps of about 3 / 127, whose uniform error has a deviation of
  // 0.29 steps: 0.7% of a standard normal number each, 1% together.
  EXPECT_LT(std::sqrt(error / size), 0.013);
  EXPECT_GT(std::sqrt(error / size), 0.003);  // it isn't the fp32 product
}

}  // namespace
}  // namespace tandem
