#include "nn/dropout.h"

#include <cmath>

#include <gtest/gtest.h>

#include "support/kernel_rows.h"
#include "support/usable_kernels.h"

namespace tandem {
namespace {

using testing::EveryKernelSet;
using testing::expect_close;

template <class T = float>
std::vector<T> mask_of(const kernels::Table& table, const kernels::DropoutKey& key,
                       std::uint32_t sample, std::int32_t position, std::int64_t cols) {
  std::vector<T> x(static_cast<std::size_t>(cols), round_to<T>(1));
  table.of<T>().dropout(key, {&sample, &position}, {1, cols, cols}, x.data());
  return x;
}

class DropoutKernels : public EveryKernelSet {};

TEST_P(DropoutKernels, DrawTheSameMaskAsTheReference) {
  const Dropout dropout{.enabled = true, .seed = 0x123456789ABCDEF, .step = 17};
  const kernels::DropoutKey key = dropout.key(0.1F, DropoutSite::kOutput, 5);
  testing::for_each_type([&]<class T>() {
    for (const std::int64_t cols : {1, 15, 16, 17, 63, 64, 65, 384, 1000}) {
      for (const std::int32_t position : {0, 1, 511}) {
        EXPECT_EQ(mask_of<T>(*GetParam(), key, 3667, position, cols),
                  mask_of<T>(kernels::reference_table(), key, 3667, position, cols));
      }
    }
  });
}

TEST_P(DropoutKernels, ScaleRowsAsTheReference) {
  const Dropout dropout{.enabled = true, .seed = 1, .step = 2};
  const kernels::DropoutKey key = dropout.key(0.1F, DropoutSite::kOutput, 5);
  constexpr std::uint32_t kSamples[testing::kRows] = {7, 7, 7, 9, 9};
  constexpr std::int32_t kPositions[testing::kRows] = {0, 1, 2, 0, 1};
  testing::for_each_type_and_width([&]<class T>(const kernels::Extent& extent) {
    auto actual = testing::random_rows<T>(extent, 1);
    auto expected = actual;
    GetParam()->of<T>().dropout(key, {kSamples, kPositions}, extent, actual.data());
    kernels::reference_table().of<T>().dropout(key, {kSamples, kPositions}, extent,
                                               expected.data());
    EXPECT_EQ(actual, expected);
    expect_close(actual, expected, extent, 0);  // of the gaps
  });
}

TEST_P(DropoutKernels, DrawAnotherMaskForEverySeedStepSampleLayerAndSite) {
  const auto mask = [&](std::uint64_t seed, std::uint32_t step, std::uint32_t sample,
                        std::int64_t layer, DropoutSite site) {
    const Dropout dropout{.enabled = true, .seed = seed, .step = step};
    return mask_of(*GetParam(), dropout.key(0.5F, site, layer), sample, 0, 768);
  };
  const auto first = mask(1, 2, 3, 4, DropoutSite::kOutput);
  EXPECT_EQ(first, mask(1, 2, 3, 4, DropoutSite::kOutput));
  EXPECT_NE(first, mask(std::uint64_t{1} << 32, 2, 3, 4, DropoutSite::kOutput));
  EXPECT_NE(first, mask(1, 3, 3, 4, DropoutSite::kOutput));
  EXPECT_NE(first, mask(1, 2, 4, 4, DropoutSite::kOutput));
  EXPECT_NE(first, mask(1, 2, 3, 5, DropoutSite::kOutput));
  EXPECT_NE(first, mask(1, 2, 3, 4, DropoutSite::kAttentionOutput));
}

TEST_P(DropoutKernels, RemoveTheRightShareAndKeepTheExpectation) {
  const Dropout dropout{.enabled = true, .seed = 5, .step = 0};
  for (const float probability : {0.1F, 0.5F}) {
    const auto mask =
        mask_of(*GetParam(), dropout.key(probability, DropoutSite::kOutput), 1, 0, 1 << 20);
    double removed = 0;
    double sum = 0;
    for (const float factor : mask) {
      removed += factor == 0 ? 1 : 0;
      sum += double{factor};
    }
    const auto count = static_cast<double>(mask.size());
    // Five standard deviations of a binomial share of 2^20 draws are under 0.0025.
    EXPECT_NEAR(removed / count, probability, 0.0025);
    EXPECT_NEAR(sum / count, 1, 0.005);
  }
}

TEST_P(DropoutKernels, LeaveEverythingWhenDisabledOrZero) {
  EXPECT_EQ(Dropout{}.key(0.5F, DropoutSite::kOutput).threshold, 0U);
  const Dropout enabled{.enabled = true, .seed = 1, .step = 1};
  const auto mask = mask_of(*GetParam(), enabled.key(0, DropoutSite::kOutput), 1, 0, 100);
  EXPECT_EQ(mask, std::vector<float>(100, 1.0F));
}

TANDEM_FOR_EVERY_KERNEL_SET(DropoutKernels);

}  // namespace
}  // namespace tandem
