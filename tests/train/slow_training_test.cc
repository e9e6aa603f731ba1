#include "train/slow_training.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

constexpr TrainingPace kGood = {.seconds_per_step = 3,
                                .flops_per_second = 8e10,
                                .gemm_flops_per_second = 1e11,
                                .cpu_share = 0.98,
                                .threads = 2};

TEST(SlowTraining, GoodPaceIsSilent) { EXPECT_TRUE(pace_warnings(kGood).empty()); }

TEST(SlowTraining, CoresThatOthersTakeAreSaid) {
  TrainingPace pace = kGood;
  pace.cpu_share = 0.5;
  const auto warnings = pace_warnings(pace);
  ASSERT_EQ(warnings.size(), 1);
  EXPECT_TRUE(warnings[0].starts_with("the 2 threads of this process ran 50% of the time"));
}

TEST(SlowTraining, StepsFarBelowTheirProductsAreSaid) {
  TrainingPace pace = kGood;
  pace.flops_per_second = 3e10;
  const auto warnings = pace_warnings(pace);
  ASSERT_EQ(warnings.size(), 1);
  EXPECT_TRUE(warnings[0].starts_with(
      "forward and backward do 30 GFLOP/s, 30% of what matrix products alone reach here (100)"));
  pace.seconds_per_step = 0.01;
  EXPECT_TRUE(pace_warnings(pace).empty()) << "short steps";
}

}  // namespace
}  // namespace tandem
