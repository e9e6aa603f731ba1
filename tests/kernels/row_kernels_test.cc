// Every kernel set against the reference, at widths around the vector lengths.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "support/random_floats.h"
#include "support/usable_kernels.h"

namespace tandem {
namespace {

using testing::EveryKernelSet;
using testing::random_floats;

constexpr std::int64_t kWidths[] = {1, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 100, 768};
constexpr std::int64_t kRows = 5;
constexpr std::int64_t kGap = 3;  // between rows
constexpr std::uint32_t kSamples[kRows] = {7, 7, 7, 9, 9};
constexpr std::int32_t kPositions[kRows] = {0, 1, 2, 0, 1};
constexpr kernels::TokenRows kTokens = {kSamples, kPositions};
constexpr kernels::DropoutKey kDropout = {
    .seed = {42, 0}, .step = 3, .site = 2, .threshold = 429496730, .scale = 1 / 0.9F};

// The largest difference, relative to the largest value: each result is a sum of at most 768
// products of numbers around 1, so fp32 rounding stays under 768 * 6e-8 of the largest.
void expect_close(const std::vector<float>& actual, const std::vector<float>& expected,
                  double tolerance = 2e-6) {
  double largest = 1;
  for (const float value : expected) largest = std::max(largest, std::abs(double{value}));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(actual[i], expected[i], tolerance * largest) << "element " << i;
  }
}

class RowKernels : public EveryKernelSet {
 protected:
  const kernels::Table& fast = *GetParam();
  const kernels::Table& reference = kernels::reference_table();
};

TEST_P(RowKernels, BiasAndSumsMatchTheReference) {
  for (const std::int64_t cols : kWidths) {
    const std::int64_t stride = cols + 3;
    const auto bias = random_floats(cols, 1);
    auto actual = random_floats(kRows * stride, 2);
    auto expected = actual;
    const kernels::Extent extent = {kRows, cols, stride};
    fast.add_bias(actual.data(), bias.data(), extent);
    reference.add_bias(expected.data(), bias.data(), extent);
    EXPECT_EQ(actual, expected);

    auto actual_sum = bias;
    auto expected_sum = bias;
    fast.add_column_sums(actual.data(), extent, actual_sum.data());
    reference.add_column_sums(actual.data(), extent, expected_sum.data());
    expect_close(actual_sum, expected_sum);

    fast.add(bias.data(), cols, actual_sum.data());
    reference.add(bias.data(), cols, expected_sum.data());
    expect_close(actual_sum, expected_sum);
    EXPECT_NEAR(fast.sum_of_squares(actual.data(), kRows * cols),
                reference.sum_of_squares(actual.data(), kRows * cols), 1e-9);
  }
}

TEST_P(RowKernels, GeluMatchesTheReference) {
  for (const std::int64_t cols : kWidths) {
    const auto bias = random_floats(cols, 1);
    const kernels::Extent extent = {kRows, cols, cols + kGap};
    auto x = random_floats(kRows * extent.stride, 2, 3);
    x[0] = -30;
    auto expected_x = x;
    std::vector<float> y(x.size());
    auto expected_y = y;
    fast.bias_gelu_forward(x.data(), bias.data(), extent, y.data());
    reference.bias_gelu_forward(expected_x.data(), bias.data(), extent, expected_y.data());
    EXPECT_EQ(x, expected_x);
    expect_close(y, expected_y);

    auto gradient = random_floats(kRows * extent.stride, 3);
    auto expected_gradient = gradient;
    std::vector<float> d_bias(static_cast<std::size_t>(cols));
    auto expected_d_bias = d_bias;
    fast.gelu_backward(x.data(), extent, gradient.data(), y.data(), d_bias.data());
    reference.gelu_backward(x.data(), extent, expected_gradient.data(), expected_y.data(),
                            expected_d_bias.data());
    expect_close(gradient, expected_gradient);
    expect_close(y, expected_y);
    expect_close(d_bias, expected_d_bias);
  }
}

TEST_P(RowKernels, GeluIsAccurateFarIntoItsTail) {
  for (float x = -12; x <= 12; x += 0.01F) {
    float input = x;
    float y = 0;
    const float zero = 0;
    fast.bias_gelu_forward(&input, &zero, {1, 1, 1}, &y);
    const double expected = double{x} * 0.5 * std::erfc(-double{x} / std::sqrt(2.0));
    // The exponent x²/2 is rounded to fp32 before exp, which costs x²/2 * 6e-8 relative.
    ASSERT_NEAR(y, expected, std::abs(expected) * (3e-7 + x * x * 6e-8) + 1e-30) << x;
  }
}

TEST_P(RowKernels, ResidualNormMatchesTheReferenceWithAndWithoutDropout) {
  for (const std::int64_t cols : kWidths) {
    for (const bool whole : {false, true}) {
      const kernels::Extent extent = {kRows, cols, cols + kGap};
      const auto x = random_floats(kRows * extent.stride, 1);
      const auto residual = random_floats(kRows * extent.stride, 2);
      const auto bias = random_floats(cols, 3);
      const auto gamma = random_floats(cols, 4);
      const auto beta = random_floats(cols, 5);
      const auto dy = random_floats(kRows * extent.stride, 6);
      const kernels::DropoutKey key = whole ? kDropout : kernels::DropoutKey{};
      struct Result {
        std::vector<float> normalized, rstd, y, dsum, dx, d_gamma, d_beta, d_bias, again;
      };
      const auto run = [&](const kernels::Table& table) {
        const std::vector<float> matrix(x.size());
        const std::vector<float> vector(static_cast<std::size_t>(cols));
        Result r{matrix, std::vector<float>(kRows), matrix, matrix, matrix, vector, vector, vector,
                 matrix};
        table.residual_norm_forward({.x = x.data(),
                                     .bias = whole ? bias.data() : nullptr,
                                     .residual = whole ? residual.data() : nullptr,
                                     .tokens = kTokens,
                                     .gamma = gamma.data(),
                                     .beta = beta.data(),
                                     .epsilon = 1e-3F,
                                     .normalized = r.normalized.data(),
                                     .rstd = r.rstd.data(),
                                     .y = r.y.data()},
                                    key, extent);
        table.residual_norm_backward({.dy = dy.data(),
                                      .normalized = r.normalized.data(),
                                      .rstd = r.rstd.data(),
                                      .gamma = gamma.data(),
                                      .tokens = kTokens,
                                      .dsum = r.dsum.data(),
                                      .dx = whole ? r.dx.data() : nullptr,
                                      .d_gamma = r.d_gamma.data(),
                                      .d_beta = r.d_beta.data(),
                                      .d_bias = r.d_bias.data()},
                                     key, extent);
        table.scale_and_shift(r.normalized.data(), gamma.data(), beta.data(), extent,
                              r.again.data());
        return r;
      };
      const Result actual = run(fast);
      const Result expected = run(reference);
      expect_close(actual.normalized, expected.normalized);
      expect_close(actual.rstd, expected.rstd);
      expect_close(actual.y, expected.y);
      expect_close(actual.again, actual.y);
      // rstd reaches 1 / sqrt(1e-3) in rows of one column: the factor before the differences.
      expect_close(actual.dsum, expected.dsum, 1e-4);
      expect_close(actual.dx, expected.dx, 1e-4);
      expect_close(actual.d_gamma, expected.d_gamma);
      expect_close(actual.d_beta, expected.d_beta);
      expect_close(actual.d_bias, expected.d_bias, 1e-4);
    }
  }
}

TEST_P(RowKernels, QuantizationMatchesTheReference) {
  for (const std::int64_t cols : kWidths) {
    const kernels::Extent extent = {kRows, cols, cols + kGap};
    auto x = random_floats(kRows * extent.stride, 1, 3);
    std::fill_n(x.begin() + extent.stride, cols, 0.0F);  // a row of zeros
    const auto size = static_cast<std::size_t>(kRows * cols);
    std::vector<std::uint8_t> quantized(size);
    std::vector<std::uint8_t> expected(size);
    std::vector<float> scale(kRows);
    std::vector<float> expected_scale(kRows);
    fast.quantize_rows(x.data(), extent, quantized.data(), scale.data());
    reference.quantize_rows(x.data(), extent, expected.data(), expected_scale.data());
    EXPECT_EQ(scale, expected_scale);
    EXPECT_EQ(quantized, expected);

    std::vector<std::int32_t> sums(size);
    for (std::size_t i = 0; i < size; ++i) sums[i] = static_cast<std::int32_t>(i * 7919) - 3000;
    const auto column_scale = random_floats(cols, 2);
    const std::vector<std::int32_t> offset(static_cast<std::size_t>(cols), 17);
    std::vector<float> y(x.size());
    std::vector<float> expected_y(x.size());
    fast.dequantize_tile(sums.data(), scale.data(), column_scale.data(), offset.data(), extent,
                         y.data());
    reference.dequantize_tile(sums.data(), scale.data(), column_scale.data(), offset.data(), extent,
                              expected_y.data());
    EXPECT_EQ(y, expected_y);
  }
}

TEST_P(RowKernels, QuantizationHidesNothingThatIsNotFinite) {
  constexpr std::int64_t kCols = 37;
  for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
    auto x = random_floats(2 * kCols, 1);
    x[20] = bad;
    std::vector<std::uint8_t> quantized(x.size());
    std::vector<float> scale(2);
    fast.quantize_rows(x.data(), {2, kCols, kCols}, quantized.data(), scale.data());
    EXPECT_TRUE(std::isnan(scale[0]));
    EXPECT_TRUE(std::isfinite(scale[1]));
  }
  std::vector<float> tiny(kCols, 1e-38F);
  std::vector<std::uint8_t> quantized(kCols);
  float scale = 1;
  fast.quantize_rows(tiny.data(), {1, kCols, kCols}, quantized.data(), &scale);
  EXPECT_EQ(scale, 0);
  EXPECT_EQ(quantized, std::vector<std::uint8_t>(kCols, kernels::kQuantizedZero));
}

TEST_P(RowKernels, AdamWMatchesTheReference) {
  const kernels::AdamWUpdate update = {.gradient_scale = 0.5F,
                                       .beta1 = 0.9F,
                                       .beta2 = 0.999F,
                                       .epsilon = 1e-8F,
                                       .one_minus_beta1 = 0.1F,
                                       .one_minus_beta2 = 0.001F,
                                       .decay_factor = 1 - 1e-5F,
                                       .step_size = 1e-3F,
                                       .inverse_sqrt_correction2 = 1.2F};
  for (const std::int64_t count : kWidths) {
    const auto gradient = random_floats(count, 1, 0.01F);
    auto weight = random_floats(count, 2);
    auto moment1 = random_floats(count, 3, 0.01F);
    auto moment2 = random_floats(count, 4, 0.01F);
    for (float& value : moment2) value = value * value;
    auto expected_weight = weight;
    auto expected_moment1 = moment1;
    auto expected_moment2 = moment2;
    fast.adamw(update, count, gradient.data(), weight.data(), moment1.data(), moment2.data());
    reference.adamw(update, count, gradient.data(), expected_weight.data(), expected_moment1.data(),
                    expected_moment2.data());
    expect_close(weight, expected_weight);
    expect_close(moment1, expected_moment1, 1e-8);
    expect_close(moment2, expected_moment2, 1e-8);
  }
}

TANDEM_FOR_EVERY_KERNEL_SET(RowKernels);

}  // namespace
}  // namespace tandem
