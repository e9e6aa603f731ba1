#include "optim/schedule.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(LinearSchedule, WarmsUpAndDecaysAsTheReference) {
  const LinearSchedule schedule{.peak = 1, .warmup_steps = 4, .total_steps = 20};
  EXPECT_DOUBLE_EQ(schedule.at(0), 0);
  EXPECT_DOUBLE_EQ(schedule.at(2), 0.5);
  EXPECT_DOUBLE_EQ(schedule.at(4), 1);
  EXPECT_DOUBLE_EQ(schedule.at(12), 0.5);
  EXPECT_DOUBLE_EQ(schedule.at(19), 1.0 / 16);
  EXPECT_DOUBLE_EQ(schedule.at(20), 0);
  EXPECT_DOUBLE_EQ(schedule.at(25), 0);
}

TEST(LinearSchedule, WithoutWarmUpStartsAtThePeak) {
  const LinearSchedule schedule{.peak = 5e-5, .warmup_steps = 0, .total_steps = 10};
  EXPECT_DOUBLE_EQ(schedule.at(0), 5e-5);
  EXPECT_DOUBLE_EQ(schedule.at(5), 2.5e-5);
}

}  // namespace
}  // namespace tandem
