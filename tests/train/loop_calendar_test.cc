#include "train/loop_calendar.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

// When things are due is tested with the loop itself, in training_loop_test.

TEST(LoopCalendar, CountsWhatIsAhead) {
  const LoopOptions options{.eval_strategy = IntervalStrategy::kSteps,
                            .eval_steps = 4,
                            .save_strategy = IntervalStrategy::kEpoch};
  const LoopCalendar calendar(options, 11, 3);
  const auto expect_ahead = [&](std::int64_t step, const WorkAhead& expected) {
    const WorkAhead ahead = calendar.ahead_of(step);
    EXPECT_EQ(ahead.steps, expected.steps) << step;
    EXPECT_EQ(ahead.evaluations, expected.evaluations) << step;
    EXPECT_EQ(ahead.checkpoints, expected.checkpoints) << step;
  };
  expect_ahead(0, {.steps = 11, .evaluations = 2, .checkpoints = 4});
  expect_ahead(4, {.steps = 7, .evaluations = 1, .checkpoints = 3});
  expect_ahead(9, {.steps = 2, .evaluations = 0, .checkpoints = 1});
  expect_ahead(11, {.steps = 0, .evaluations = 0, .checkpoints = 0});
}

TEST(TimeLeft, TakesEachKindOfWorkAtItsOwnMean) {
  TimeLeft left;
  left.add_step(10);
  EXPECT_EQ(left.of({.steps = 3}), 30) << "the first is all there is";
  left.add_step(2);
  left.add_step(4);
  EXPECT_EQ(left.of({.steps = 3}), 9) << "the first is a warm-up";
  EXPECT_EQ(left.of({.steps = 3, .evaluations = 2, .checkpoints = 1}), 9) << "none seen yet";
  left.add_evaluation(7);
  left.add_checkpoint(1);
  EXPECT_EQ(left.of({.steps = 3, .evaluations = 2, .checkpoints = 1}), 9 + 14 + 1);
}

}  // namespace
}  // namespace tandem
