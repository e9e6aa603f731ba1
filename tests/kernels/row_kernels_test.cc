// Every kernel set against the reference, at widths around the vector lengths.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "support/kernel_rows.h"
#include "support/usable_kernels.h"

namespace tandem {
namespace {

using testing::empty_rows;
using testing::EveryKernelSet;
using testing::expect_close;
using testing::for_each_type_and_width;
using testing::kRows;
using testing::kWidths;
using testing::random_floats;
using testing::random_rows;

class RowKernels : public EveryKernelSet {
 protected:
  const kernels::Table& fast = *GetParam();
  const kernels::Table& reference = kernels::reference_table();
};

// A tile of a product; its rows are further apart than those of the activations.
struct Tile {
  std::int64_t stride;
  std::vector<float> values;

  explicit Tile(const kernels::Extent& extent, float deviation = 1)
      : stride(extent.cols + 5), values(random_floats(extent.rows * stride, 2, deviation)) {}
  kernels::Sums sums() const { return {values.data(), stride}; }
};

TEST_P(RowKernels, BiasMatchesTheReference) {
  for_each_type_and_width([&]<class T>(const kernels::Extent& extent) {
    const auto bias = random_floats(extent.cols, 1);
    const Tile tile(extent);
    const auto run = [&](const kernels::Table& table) {
      auto y = empty_rows<T>(extent);
      table.of<T>().add_bias(tile.sums(), bias.data(), extent, y.data());
      return y;
    };
    expect_close(run(fast), run(reference), extent);

    if constexpr (std::is_same_v<T, float>) {
      auto y = random_rows<float>(extent, 3);
      auto expected = empty_rows<float>(extent);
      reference.fp32.add_bias({y.data(), extent.stride}, bias.data(), extent, expected.data());
      fast.fp32.add_bias({y.data(), extent.stride}, bias.data(), extent, y.data());
      EXPECT_EQ(y, expected);
    }
  });
}

TEST_P(RowKernels, SumsMatchTheReference) {
  for_each_type_and_width([&]<class T>(const kernels::Extent& extent) {
    const auto x = random_rows<T>(extent, 2);
    const auto run = [&](const kernels::Table& table) {
      auto sum = random_floats(extent.cols, 1);
      table.of<T>().add_column_sums(x.data(), extent, sum.data());
      table.of<T>().add(x.data(), extent.cols, sum.data());
      return sum;
    };
    expect_close(run(fast), run(reference));
  });
  for (const std::int64_t count : kWidths) {
    const auto x = random_floats(count, 1);
    EXPECT_NEAR(fast.sum_of_squares(x.data(), count), reference.sum_of_squares(x.data(), count),
                1e-9);
  }
}

TEST_P(RowKernels, StoredSumsMatchTheReference) {
  for (const std::int64_t cols : kWidths) {
    for (const bool accumulate : {false, true}) {
      const kernels::Extent extent = {kRows, cols, cols + testing::kGap};
      const Tile tile(extent);
      auto actual = random_rows<BFloat16>(extent, 3);
      auto expected = actual;
      fast.store_sums(tile.sums(), extent, accumulate, actual.data());
      reference.store_sums(tile.sums(), extent, accumulate, expected.data());
      EXPECT_EQ(actual, expected);
    }
  }
}

TEST_P(RowKernels, GeluMatchesTheReference) {
  for_each_type_and_width([&]<class T>(const kernels::Extent& extent) {
    const auto bias = random_floats(extent.cols, 1);
    Tile tile(extent, 3);
    tile.values[0] = -30;
    struct Result {
      std::vector<T> x, y, gradient, y_again;
      std::vector<float> d_bias;
    };
    const auto run = [&](const kernels::Table& table, const std::vector<T>* forward_x) {
      Result r{empty_rows<T>(extent), empty_rows<T>(extent), random_rows<T>(extent, 3),
               empty_rows<T>(extent), random_floats(extent.cols, 4)};
      table.of<T>().bias_gelu_forward(tile.sums(), bias.data(), extent, r.x.data(), r.y.data());
      table.of<T>().gelu_backward(forward_x == nullptr ? r.x.data() : forward_x->data(), extent,
                                  r.gradient.data(), r.y_again.data(), r.d_bias.data());
      return r;
    };
    const Result expected = run(reference, nullptr);
    const Result actual = run(fast, &expected.x);
    expect_close(actual.x, expected.x, extent, 0);
    expect_close(actual.y, expected.y, extent);
    expect_close(actual.gradient, expected.gradient, extent);
    expect_close(actual.y_again, expected.y_again, extent);
    expect_close(actual.d_bias, expected.d_bias);
  });
}

TEST_P(RowKernels, GeluIsGivenOnceMoreWithTheSameBits) {
  for (const kernels::Table* const table : {&fast, &reference}) {
    for_each_type_and_width([&]<class T>(const kernels::Extent& extent) {
      const auto bias = random_floats(extent.cols, 1);
      const Tile tile(extent, 3);
      auto x = empty_rows<T>(extent);
      auto y = x;
      auto again = x;
      auto gradient = random_rows<T>(extent, 3);
      auto d_bias = random_floats(extent.cols, 4);
      table->of<T>().bias_gelu_forward(tile.sums(), bias.data(), extent, x.data(), y.data());
      table->of<T>().gelu_backward(x.data(), extent, gradient.data(), again.data(), d_bias.data());
      EXPECT_EQ(again, y);
    });
  }
}

TEST_P(RowKernels, GeluWorksInPlaceAndWithoutItsInput) {
  for_each_type_and_width([&]<class T>(const kernels::Extent& extent) {
    const auto bias = random_floats(extent.cols, 1);
    const auto sums = random_rows<float>(extent, 2);
    const auto x = empty_rows<T>(extent);
    const auto run = [&](T* kept, std::vector<T>& y, const float* from) {
      fast.of<T>().bias_gelu_forward({from, extent.stride}, bias.data(), extent, kept, y.data());
    };
    auto expected_x = x;
    auto expected_y = x;
    run(expected_x.data(), expected_y, sums.data());
    auto y = x;
    run(nullptr, y, sums.data());
    EXPECT_EQ(y, expected_y);
    if constexpr (std::is_same_v<T, float>) {
      auto in_place = sums;
      run(nullptr, in_place, in_place.data());
      EXPECT_EQ(in_place, expected_y);
      in_place = sums;
      run(in_place.data(), y, in_place.data());
      EXPECT_EQ(in_place, expected_x);
      EXPECT_EQ(y, expected_y);
    }
  });
}

TEST_P(RowKernels, GeluIsAccurateFarIntoItsTail) {
  for (float x = -12; x <= 12; x += 0.01F) {
    const float input = x;
    const float stored = to_float(round_to<BFloat16>(x));
    float y = 0;
    float y_of_stored = 0;
    BFloat16 rounded = {};
    const float zero = 0;
    fast.fp32.bias_gelu_forward({&input, 1}, &zero, {1, 1, 1}, nullptr, &y);
    fast.fp32.bias_gelu_forward({&stored, 1}, &zero, {1, 1, 1}, nullptr, &y_of_stored);
    fast.bf16.bias_gelu_forward({&input, 1}, &zero, {1, 1, 1}, nullptr, &rounded);
    const double expected = double{x} * 0.5 * std::erfc(-double{x} / std::sqrt(2.0));
    // The exponent x²/2 is rounded to fp32 before exp, which costs x²/2 * 6e-8 relative.
    ASSERT_NEAR(y, expected, std::abs(expected) * (3e-7 + x * x * 6e-8) + 1e-30) << x;
    ASSERT_EQ(rounded, round_to<BFloat16>(y_of_stored)) << x;
  }
}

TEST_P(RowKernels, QuantizationMatchesTheReference) {
  for (const std::int64_t cols : kWidths) {
    const kernels::Extent extent = {kRows, cols, cols + testing::kGap};
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
    struct Result {
      std::vector<float> weight, moment1, moment2;
      std::vector<BFloat16> rounded;
    };
    const auto run = [&](const kernels::Table& table, bool with_rounded) {
      Result r{random_floats(count, 2), random_floats(count, 3, 0.01F),
               random_floats(count, 4, 0.01F), std::vector<BFloat16>(gradient.size())};
      for (float& value : r.moment2) value = value * value;
      table.adamw(update, count, gradient.data(), r.weight.data(), r.moment1.data(),
                  r.moment2.data(), with_rounded ? r.rounded.data() : nullptr);
      return r;
    };
    const Result actual = run(fast, true);
    const Result expected = run(reference, true);
    expect_close(actual.weight, expected.weight);
    expect_close(actual.moment1, expected.moment1, 1e-8);
    expect_close(actual.moment2, expected.moment2, 1e-8);
    for (std::size_t i = 0; i < actual.weight.size(); ++i) {
      ASSERT_EQ(actual.rounded[i], round_to<BFloat16>(actual.weight[i]));
      ASSERT_EQ(expected.rounded[i], round_to<BFloat16>(expected.weight[i]));
    }
    EXPECT_EQ(run(fast, false).weight, actual.weight);
    EXPECT_EQ(run(reference, false).weight, expected.weight);
  }
}

TANDEM_FOR_EVERY_KERNEL_SET(RowKernels);

}  // namespace
}  // namespace tandem
