#include "nn/choose_precision.h"

#include <gtest/gtest.h>

#include "support/kernels_under_test.h"

namespace tandem {
namespace {

constexpr std::int64_t kWidth = 96, kIntermediateSize = 384;

PrecisionChoice choose(PrecisionRequest request, Compute& compute) {
  return choose_precision(request, kWidth, kIntermediateSize, compute);
}

TEST(ChoosePrecision, TakesFp32UnmeasuredWhereItIsAskedFor) {
  Compute compute(testing::kernels_under_test(), 1);
  const PrecisionChoice choice = choose(PrecisionRequest::kFp32, compute);
  EXPECT_EQ(choice.precision, Precision::kFp32);
  EXPECT_FALSE(choice.bf16_speed);
}

TEST(ChoosePrecision, TakesBf16WhereItIsAskedForHoweverSlow) {
  Compute compute(testing::kernels_under_test(), 1);
  const PrecisionChoice choice = choose(PrecisionRequest::kBf16, compute);
  EXPECT_EQ(choice.precision, Precision::kBf16);
  const bool plain_loops = &compute.kernels() == &kernels::reference_table();
  EXPECT_EQ(choice.bf16_speed.has_value(), !plain_loops);
  if (choice.bf16_speed) {
    EXPECT_GT(*choice.bf16_speed, 0);
  }
}

TEST(ChoosePrecision, GoesByTheCpuUnlessBf16IsMeasuredToBeClearlySlower) {
  Compute compute(testing::kernels_under_test(), 1);
  const PrecisionChoice choice = choose(PrecisionRequest::kAuto, compute);
  EXPECT_EQ(choice.bf16_speed.has_value(), compute.multiplies_bf16());
  EXPECT_EQ(choice.precision,
            choice.bf16_speed.value_or(0) < 0.8 ? Precision::kFp32 : Precision::kBf16);
}

TEST(Compute, MultipliesNoBf16WithOurKernels) {
  const Compute compute(testing::kernels_under_test(), 1, {}, Bf16Products::kWidened);
  EXPECT_FALSE(compute.multiplies_bf16());
}

}  // namespace
}  // namespace tandem
