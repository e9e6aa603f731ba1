// How every kernel that stores bf16 rounds: to nearest even, and what isn't finite stays so.
#include <bit>
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "support/kernel_rows.h"
#include "support/usable_kernels.h"

namespace tandem {
namespace {

using testing::EveryKernelSet;

// A float, and the bf16 nearest to it.
struct Rounding {
  std::uint32_t from;
  std::uint16_t to;

  float value() const { return std::bit_cast<float>(from); }
};

constexpr Rounding kRoundings[] = {
    {0x3F800000, 0x3F80},                                              // 1
    {0x3F807FFF, 0x3F80}, {0x3F808000, 0x3F80}, {0x3F808001, 0x3F81},  // around an even tie
    {0x3F817FFF, 0x3F81}, {0x3F818000, 0x3F82}, {0x3F818001, 0x3F82},  // around an odd one
    {0xBF808000, 0xBF80}, {0xBF818000, 0xBF82}, {0x3FFF8000, 0x4000},  // to the next power of two
    {0x7F7F7FFF, 0x7F7F}, {0x7F7FFFFF, 0x7F80},                        // the largest floats
    {0xFF7F7FFF, 0xFF7F}, {0xFF7FFFFF, 0xFF80}, {0x7F800000, 0x7F80},
    {0xFF800000, 0xFF80},  // infinity
    {0x00000000, 0x0000}, {0x80000000, 0x8000}, {0x00800000, 0x0080},
    {0x007FFFFF, 0x0080},  // the smallest normal number and below
    {0x00400000, 0x0040}, {0x00018000, 0x0002}, {0x00008001, 0x0001},
    {0x00008000, 0x0000}, {0x00000001, 0x0000}, {0x80018000, 0x8002},
    {0x7FC00000, 0x7FC0}, {0xFFC00000, 0xFFC0},  // NaN; the payload must not carry into the sign
    {0x7FFFFFFF, 0x7FFF}, {0xFFFFFFFF, 0xFFFF}, {0x7F800001, 0x7FC0},
    {0x7F80FFFF, 0x7FC0},
};
constexpr auto kCount = static_cast<std::int64_t>(std::size(kRoundings));

// The sign of zero and NaN's payload may differ: kernels add zeros.
void expect_rounded(BFloat16 actual, const Rounding& expected) {
  const float value = to_float(BFloat16{expected.to});
  if (std::isnan(expected.value())) {
    EXPECT_TRUE(std::isnan(to_float(actual))) << std::hex << expected.from << ": " << actual.bits;
  } else {
    EXPECT_EQ(to_float(actual), value)
        << std::hex << expected.from << " became " << actual.bits << " instead of " << expected.to;
  }
}

// store(values, y) for rows of every length, which begin at any of the values.
void expect_row_rounded(
    const std::function<void(const std::vector<float>& values, BFloat16* y)>& store) {
  for (std::int64_t cols = 1; cols <= 2 * kCount; ++cols) {
    SCOPED_TRACE(cols);
    std::vector<const Rounding*> expected;
    std::vector<float> values;
    for (std::int64_t c = 0; c < cols; ++c) {
      expected.push_back(&kRoundings[(c + cols) % kCount]);
      values.push_back(expected.back()->value());
    }
    std::vector<BFloat16> y(values.size());
    store(values, y.data());
    for (std::size_t c = 0; c < y.size(); ++c) expect_rounded(y[c], *expected[c]);
  }
}

// store(value, count, y) must fill a row with the rounded value.
void expect_factor_rounded(
    const std::function<void(float value, std::int64_t count, BFloat16* y)>& store) {
  for (const Rounding& rounding : kRoundings) {
    for (const std::int64_t count : {1, 8, 16, 39}) {
      std::vector<BFloat16> y(static_cast<std::size_t>(count));
      store(rounding.value(), count, y.data());
      for (const BFloat16 element : y) expect_rounded(element, rounding);
    }
  }
}

kernels::Extent row_of(const std::vector<float>& values) {
  const std::int64_t cols = std::ssize(values);
  return {1, cols, cols};
}

constexpr std::uint32_t kSample = 3;
constexpr std::int32_t kPosition = 0;

// Multiplies by `factor`: only one element in 2^32 is removed.
kernels::DropoutKey keep_all(float factor) {
  return {.seed = {1, 2}, .step = 3, .site = 4, .threshold = 1, .scale = factor};
}

class RoundedResults : public EveryKernelSet {
 protected:
  const kernels::Table& table = *GetParam();
  const kernels::ActivationKernels<BFloat16>& bf16 = table.bf16;
};

TEST_P(RoundedResults, OfStoredSums) {
  for (const bool accumulate : {false, true}) {
    expect_row_rounded([&](const std::vector<float>& values, BFloat16* y) {
      const kernels::Extent extent = row_of(values);
      table.store_sums({values.data(), extent.stride}, extent, accumulate, y);
    });
  }
}

TEST_P(RoundedResults, OfBiases) {
  expect_row_rounded([&](const std::vector<float>& values, BFloat16* y) {
    const std::vector<float> zeros(values.size());
    const kernels::Extent extent = row_of(values);
    bf16.add_bias({values.data(), extent.stride}, zeros.data(), extent, y);
  });
  expect_row_rounded([&](const std::vector<float>& values, BFloat16* x) {
    const std::vector<float> zeros(values.size());
    std::vector<BFloat16> y(values.size());
    const kernels::Extent extent = row_of(values);
    bf16.bias_gelu_forward({values.data(), extent.stride}, zeros.data(), extent, x, y.data());
  });
}

TEST_P(RoundedResults, OfGelu) {
  // Where Φ(x) is 1: 256 and 258 are neighbours.
  const float values[] = {256, 257, 259, INFINITY, std::nanf("")};
  const float expected[] = {256, 256, 260, INFINITY, std::nanf("")};
  const float zeros[5] = {};
  BFloat16 y[5];
  bf16.bias_gelu_forward({values, 5}, zeros, {1, 5, 5}, nullptr, y);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(to_float(y[i]), expected[i]);
  EXPECT_TRUE(std::isnan(to_float(y[4])));
}

TEST_P(RoundedResults, OfGelusGradient) {
  // Where GELU's derivative is 1, so that gradients pass.
  expect_row_rounded([&](const std::vector<float>& values, BFloat16* gradient) {
    const std::vector<BFloat16> x(values.size(), round_to<BFloat16>(16));
    std::vector<BFloat16> y(values.size());
    std::vector<float> d_bias(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) gradient[i] = round_to<BFloat16>(values[i]);
    bf16.gelu_backward(x.data(), row_of(values), gradient, y.data(), d_bias.data());
    EXPECT_EQ(y, x);
  });
  const BFloat16 x = round_to<BFloat16>(std::nanf(""));
  BFloat16 gradient = round_to<BFloat16>(1);
  BFloat16 y = {};
  float d_bias = 0;
  bf16.gelu_backward(&x, {1, 1, 1}, &gradient, &y, &d_bias);
  EXPECT_TRUE(std::isnan(to_float(gradient)));
  EXPECT_TRUE(std::isnan(to_float(y)));
  EXPECT_TRUE(std::isnan(d_bias));
}

TEST_P(RoundedResults, OfDropout) {
  expect_factor_rounded([&](float value, std::int64_t count, BFloat16* y) {
    std::fill_n(y, count, round_to<BFloat16>(1));
    bf16.dropout(keep_all(value), {&kSample, &kPosition}, {1, count, count}, y);
  });
}

// LayerNorm of a row of equal numbers is beta.
TEST_P(RoundedResults, OfLayerNorm) {
  expect_row_rounded([&](const std::vector<float>& values, BFloat16* y) {
    const std::vector<BFloat16> zeros(values.size());
    const std::vector<float> gamma(values.size(), 1.0F);
    bf16.scale_and_shift(zeros.data(), gamma.data(), values.data(), row_of(values), y);
  });
  expect_row_rounded([&](const std::vector<float>& values, BFloat16* y) {
    const std::vector<BFloat16> x(values.size());
    const std::vector<float> gamma(values.size(), 1.0F);
    std::vector<float> workspace(values.size());
    float rstd = 0;
    bf16.residual_norm_forward({.x = x.data(),
                                .bias = nullptr,
                                .residual = nullptr,
                                .tokens = {&kSample, &kPosition},
                                .gamma = gamma.data(),
                                .beta = values.data(),
                                .epsilon = 1e-3F,
                                .normalized = nullptr,
                                .rstd = &rstd,
                                .y = y,
                                .workspace = workspace.data()},
                               {}, row_of(values));
  });
}

// With one not finite number, no element of the row is.
TEST_P(RoundedResults, OfLayerNormOfWhatIsNotFinite) {
  constexpr std::int64_t kCols = 21;
  for (const float bad : {std::nanf(""), INFINITY}) {
    auto x = testing::random_values<BFloat16>(kCols, 1);
    x[9] = round_to<BFloat16>(bad);
    std::vector<BFloat16> normalized(kCols);
    std::vector<BFloat16> y(kCols);
    const std::vector<float> ones(kCols, 1.0F);
    std::vector<float> workspace(kCols);
    float rstd = 0;
    bf16.residual_norm_forward({.x = x.data(),
                                .bias = nullptr,
                                .residual = nullptr,
                                .tokens = {&kSample, &kPosition},
                                .gamma = ones.data(),
                                .beta = ones.data(),
                                .epsilon = 1e-3F,
                                .normalized = normalized.data(),
                                .rstd = &rstd,
                                .y = y.data(),
                                .workspace = workspace.data()},
                               {}, {1, kCols, kCols});
    for (const BFloat16 element : normalized) EXPECT_TRUE(std::isnan(to_float(element)));
    for (const BFloat16 element : y) EXPECT_TRUE(std::isnan(to_float(element)));
  }
}

// With normalized = 0 and gradients of 1 and -1 in turn, dsum is rstd times those.
TEST_P(RoundedResults, OfLayerNormsGradient) {
  for (const Rounding& rounding : kRoundings) {
    for (const std::int64_t cols : {2, 8, 16, 38}) {
      const auto size = static_cast<std::size_t>(cols);
      std::vector<BFloat16> dy(size, round_to<BFloat16>(-1));
      for (std::size_t c = 0; c < size; c += 2) dy[c] = round_to<BFloat16>(1);
      const std::vector<BFloat16> normalized(size);
      std::vector<BFloat16> dsum(size);
      std::vector<BFloat16> dx(size);
      const std::vector<float> gamma(size, 1.0F);
      std::vector<float> sums(size);
      const float rstd = rounding.value();
      bf16.residual_norm_backward({.dy = dy.data(),
                                   .normalized = normalized.data(),
                                   .rstd = &rstd,
                                   .gamma = gamma.data(),
                                   .tokens = {&kSample, &kPosition},
                                   .dsum = dsum.data(),
                                   .dx = dx.data(),
                                   .d_gamma = sums.data(),
                                   .d_beta = sums.data(),
                                   .d_bias = sums.data()},
                                  {}, {1, cols, cols});
      for (std::size_t c = 0; c < size; c += 2) {
        expect_rounded(dsum[c], rounding);
        expect_rounded(dx[c], rounding);
      }
    }
  }
}

// One token, whose probability is 1, times dropout's factor.
TEST_P(RoundedResults, OfAttention) {
  constexpr std::int64_t kLongest = 39;
  const std::vector<BFloat16> zeros(kLongest);
  const std::vector<BFloat16> ones(kLongest, round_to<BFloat16>(1));
  std::vector<float> workspace(
      static_cast<std::size_t>(kernels::attention_workspace_floats<BFloat16>(1, kLongest)));
  const auto head = [&](float factor, std::int64_t width) {
    return kernels::AttentionHead<BFloat16>{.tokens = 1,
                                            .queries = 1,
                                            .width = width,
                                            .query = zeros.data(),
                                            .query_stride = width,
                                            .key = zeros.data(),
                                            .value = ones.data(),
                                            .key_value_stride = width,
                                            .scale = 1,
                                            .dropout = keep_all(factor),
                                            .sample = 1,
                                            .head = 0,
                                            .next_head_follows = false,
                                            .workspace = workspace.data()};
  };
  expect_factor_rounded([&](float value, std::int64_t width, BFloat16* context) {
    float log_sum_exp = 0;
    bf16.attention_forward(head(value, width), context, width, &log_sum_exp, 1);
  });
  expect_factor_rounded([&](float value, std::int64_t width, BFloat16* d_value) {
    const float log_sum_exp = 0;
    std::vector<BFloat16> d_query(kLongest);
    std::vector<BFloat16> d_key(kLongest);
    bf16.attention_backward(head(value, width), zeros.data(), ones.data(), width, &log_sum_exp, 1,
                            d_query.data(), d_key.data(), d_value);
  });
}

TEST_P(RoundedResults, OfWeights) {
  expect_row_rounded([&](const std::vector<float>& values, BFloat16* rounded) {
    const std::vector<float> zeros(values.size());
    std::vector<float> weight = values;
    std::vector<float> moment1 = zeros;
    std::vector<float> moment2 = zeros;
    table.adamw({.gradient_scale = 1,
                 .beta1 = 0.9F,
                 .beta2 = 0.999F,
                 .epsilon = 1e-8F,
                 .one_minus_beta1 = 0.1F,
                 .one_minus_beta2 = 0.001F,
                 .decay_factor = 1,
                 .step_size = 0,
                 .inverse_sqrt_correction2 = 1},
                std::ssize(values), zeros.data(), weight.data(), moment1.data(), moment2.data(),
                rounded);
  });
}

// The reference too: nothing else tells whether it rounds.
INSTANTIATE_TEST_SUITE_P(Kernels, RoundedResults, ::testing::ValuesIn(kernels::usable_tables()),
                         testing::table_name);

}  // namespace
}  // namespace tandem
