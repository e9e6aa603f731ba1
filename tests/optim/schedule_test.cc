#include "optim/schedule.h"

#include <gtest/gtest.h>

#include "support/error_message.h"

namespace tandem {
namespace {

TEST(Schedule, WarmsUpAndDecaysLinearlyUnlessToldOtherwise) {
  const Schedule schedule{.peak = 1, .warmup_steps = 4, .total_steps = 20};
  EXPECT_DOUBLE_EQ(schedule.at(0), 0);
  EXPECT_DOUBLE_EQ(schedule.at(2), 0.5);
  EXPECT_DOUBLE_EQ(schedule.at(4), 1);
  EXPECT_DOUBLE_EQ(schedule.at(12), 0.5);
  EXPECT_DOUBLE_EQ(schedule.at(19), 1.0 / 16);
  EXPECT_DOUBLE_EQ(schedule.at(20), 0);
  EXPECT_DOUBLE_EQ(schedule.at(25), 0);
}

TEST(Schedule, WithoutWarmUpStartsAtThePeak) {
  const Schedule schedule{.peak = 5e-5, .warmup_steps = 0, .total_steps = 10};
  EXPECT_DOUBLE_EQ(schedule.at(0), 5e-5);
  EXPECT_DOUBLE_EQ(schedule.at(5), 2.5e-5);
}

TEST(Schedule, OfConstantTypeHasNoWarmUp) {
  const Schedule schedule{
      .peak = 1, .warmup_steps = 4, .total_steps = 20, .shape = {.type = ScheduleType::kConstant}};
  EXPECT_DOUBLE_EQ(schedule.at(0), 1);
  EXPECT_DOUBLE_EQ(schedule.at(19), 1);
}

TEST(Schedule, ThatCannotBeComputedIsRefused) {
  const auto message_of = [](const Schedule& schedule) {
    const testing::Failure failure = testing::failure_of([&] { check_schedule(schedule); });
    EXPECT_EQ(failure.code, ExitCode::kUsage);
    return failure.message;
  };
  EXPECT_NE(message_of({.peak = 1e-7, .shape = {.type = ScheduleType::kPolynomial}})
                .find("lr_end 1e-07 must be below --learning-rate 1e-07"),
            std::string::npos);
  EXPECT_NE(message_of({.warmup_steps = 4,
                        .total_steps = 10,
                        .shape = {.type = ScheduleType::kWarmupStableDecay, .num_decay_steps = 7}})
                .find("4 updates of warm-up and 7 of decay are more than the 10"),
            std::string::npos);
}

}  // namespace
}  // namespace tandem
