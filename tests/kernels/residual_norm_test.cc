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
using testing::random_floats;
using testing::random_rows;

constexpr std::uint32_t kSamples[kRows] = {7, 7, 7, 9, 9};
constexpr std::int32_t kPositions[kRows] = {0, 1, 2, 0, 1};
constexpr kernels::TokenRows kTokens = {kSamples, kPositions};
constexpr kernels::DropoutKey kDropout = {
    .seed = {42, 0}, .step = 3, .site = 2, .threshold = 429496730, .scale = 1 / 0.9F};

// What forward gives.
template <class T>
struct Normalized {
  std::vector<T> normalized, y;
  std::vector<float> rstd;
};

// What backward gives; the sums are added to random ones.
template <class T>
struct Gradients {
  std::vector<T> dsum, dx;
  std::vector<float> d_gamma, d_beta, d_bias;
};

template <class T>
struct Inputs {
  kernels::Extent extent;
  bool whole;  // with bias, residual and dropout
  std::vector<T> x = random_rows<T>(extent, 1);
  std::vector<T> residual = random_rows<T>(extent, 2);
  std::vector<float> bias = random_floats(extent.cols, 3);
  std::vector<float> gamma = random_floats(extent.cols, 4);
  std::vector<float> beta = random_floats(extent.cols, 5);
  std::vector<T> dy = random_rows<T>(extent, 6);
  kernels::DropoutKey key = whole ? kDropout : kernels::DropoutKey{};

  // y may be x or residual, `normalized` null.
  std::vector<float> forward(const kernels::Table& table, const T* from, const T* added,
                             T* normalized, T* y) const {
    std::vector<float> rstd(kRows);
    std::vector<float> workspace(gamma.size());
    table.of<T>().residual_norm_forward({.x = from,
                                         .bias = whole ? bias.data() : nullptr,
                                         .residual = whole ? added : nullptr,
                                         .tokens = kTokens,
                                         .gamma = gamma.data(),
                                         .beta = beta.data(),
                                         .epsilon = 1e-3F,
                                         .normalized = normalized,
                                         .rstd = rstd.data(),
                                         .y = y,
                                         .workspace = workspace.data()},
                                        key, extent);
    return rstd;
  }

  Normalized<T> forward(const kernels::Table& table) const {
    Normalized<T> result{empty_rows<T>(extent), empty_rows<T>(extent), {}};
    result.rstd =
        forward(table, x.data(), residual.data(), result.normalized.data(), result.y.data());
    return result;
  }

  // With dsum == dy in place.
  Gradients<T> backward(const kernels::Table& table, const Normalized<T>& saved,
                        bool in_place) const {
    Gradients<T> result{in_place ? dy : empty_rows<T>(extent), empty_rows<T>(extent),
                        random_floats(extent.cols, 7), random_floats(extent.cols, 8),
                        random_floats(extent.cols, 9)};
    table.of<T>().residual_norm_backward({.dy = in_place ? result.dsum.data() : dy.data(),
                                          .normalized = saved.normalized.data(),
                                          .rstd = saved.rstd.data(),
                                          .gamma = gamma.data(),
                                          .tokens = kTokens,
                                          .dsum = result.dsum.data(),
                                          .dx = whole ? result.dx.data() : nullptr,
                                          .d_gamma = result.d_gamma.data(),
                                          .d_beta = result.d_beta.data(),
                                          .d_bias = result.d_bias.data()},
                                         key, extent);
    return result;
  }
};

// body(inputs) for both types, every width, with and without bias, residual and dropout.
template <class Body>
void for_each_inputs(const Body& body) {
  for_each_type_and_width([&]<class T>(const kernels::Extent& extent) {
    body(Inputs<T>{extent, false});
    body(Inputs<T>{extent, true});
  });
}

class ResidualNormKernels : public EveryKernelSet {
 protected:
  const kernels::Table& fast = *GetParam();
  const kernels::Table& reference = kernels::reference_table();
};

TEST_P(ResidualNormKernels, MatchTheReferenceWithAndWithoutDropout) {
  for_each_inputs([&]<class T>(const Inputs<T>& inputs) {
    const kernels::Extent& extent = inputs.extent;
    const Normalized<T> expected = inputs.forward(reference);
    const Normalized<T> actual = inputs.forward(fast);
    expect_close(actual.normalized, expected.normalized, extent);
    expect_close(actual.rstd, expected.rstd);
    expect_close(actual.y, expected.y, extent);

    const Gradients<T> expected_gradients = inputs.backward(reference, expected, false);
    const Gradients<T> gradients = inputs.backward(fast, expected, false);
    // rstd reaches 1 / sqrt(1e-3) in rows of one column: the factor before the differences.
    expect_close(gradients.dsum, expected_gradients.dsum, extent, 1e-4);
    expect_close(gradients.dx, expected_gradients.dx, extent, 1e-4);
    expect_close(gradients.d_gamma, expected_gradients.d_gamma);
    expect_close(gradients.d_beta, expected_gradients.d_beta);
    expect_close(gradients.d_bias, expected_gradients.d_bias, 1e-4);
  });
}

TEST_P(ResidualNormKernels, GiveTheOutputOnceMoreWithTheSameBits) {
  for (const kernels::Table* const table : {&fast, &reference}) {
    for_each_inputs([&]<class T>(const Inputs<T>& inputs) {
      const Normalized<T> saved = inputs.forward(*table);
      auto again = empty_rows<T>(inputs.extent);
      table->of<T>().scale_and_shift(saved.normalized.data(), inputs.gamma.data(),
                                     inputs.beta.data(), inputs.extent, again.data());
      EXPECT_EQ(again, saved.y);
    });
  }
}

TEST_P(ResidualNormKernels, WorkInPlaceAndWithoutNormalized) {
  for (const kernels::Table* const table : {&fast, &reference}) {
    for_each_inputs([&]<class T>(const Inputs<T>& inputs) {
      const Normalized<T> separate = inputs.forward(*table);
      auto y = empty_rows<T>(inputs.extent);
      EXPECT_EQ(inputs.forward(*table, inputs.x.data(), inputs.residual.data(), nullptr, y.data()),
                separate.rstd);
      EXPECT_EQ(y, separate.y);
      auto x = inputs.x;
      auto normalized = empty_rows<T>(inputs.extent);
      inputs.forward(*table, x.data(), inputs.residual.data(), normalized.data(), x.data());
      EXPECT_EQ(x, separate.y);
      EXPECT_EQ(normalized, separate.normalized);
      if (inputs.whole) {
        auto residual = inputs.residual;
        inputs.forward(*table, inputs.x.data(), residual.data(), nullptr, residual.data());
        EXPECT_EQ(residual, separate.y);
      }

      const Gradients<T> apart = inputs.backward(*table, separate, false);
      const Gradients<T> in_place = inputs.backward(*table, separate, true);
      EXPECT_EQ(in_place.dsum, apart.dsum);
      EXPECT_EQ(in_place.dx, apart.dx);
      EXPECT_EQ(in_place.d_gamma, apart.d_gamma);
      EXPECT_EQ(in_place.d_beta, apart.d_beta);
      EXPECT_EQ(in_place.d_bias, apart.d_bias);
    });
  }
}

TANDEM_FOR_EVERY_KERNEL_SET(ResidualNormKernels);

}  // namespace
}  // namespace tandem
