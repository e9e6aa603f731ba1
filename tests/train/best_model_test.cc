#include "train/best_model.h"

#include <cmath>

#include <gtest/gtest.h>

#include "support/error_message.h"

namespace tandem {
namespace {

TEST(LoopOptions, KnowAMetricsDirectionByItsName) {
  for (const char* const name : {"accuracy", "eval_f1", "matthews_correlation", "spearmanr",
                                 "combined_score", "eval_accuracy_mm"}) {
    EXPECT_TRUE(higher_is_better(name)) << name;
  }
  for (const char* const name : {"loss", "eval_loss", "eval_loss_mm", "mse", "eval_rmse",
                                 "hamming_loss", "eval_ece", "eval_runtime"}) {
    EXPECT_FALSE(higher_is_better(name)) << name;
  }
  EXPECT_FALSE(LoopOptions{.metric_for_best_model = "mse"}.best_is_greatest());
  EXPECT_TRUE(
      (LoopOptions{.metric_for_best_model = "mse", .greater_is_better = true}).best_is_greatest());
}

TEST(LoopOptions, TakeAMetricWithAndWithoutItsPrefix) {
  EXPECT_EQ(LoopOptions{}.best_metric(), "eval_loss");
  EXPECT_EQ(LoopOptions{.metric_for_best_model = "f1"}.best_metric(), "eval_f1");
  EXPECT_EQ(LoopOptions{.metric_for_best_model = "eval_f1"}.best_metric(), "eval_f1");
}

TEST(LoopOptions, RoundASharesStepsUp) {
  const LoopIntervals shares =
      loop_intervals({.logging_steps = 0.1, .eval_steps = 0.34, .save_steps = 1e-9}, 101);
  EXPECT_EQ(shares.logging_steps, 11);
  EXPECT_EQ(shares.eval_steps, 35);
  EXPECT_EQ(shares.save_steps, 1);
  const LoopIntervals whole = loop_intervals({.logging_steps = 7, .save_steps = 20}, 101);
  EXPECT_EQ(whole.logging_steps, 7);
  EXPECT_EQ(whole.eval_steps, 7) << "as logging_steps";
  EXPECT_EQ(whole.save_steps, 20);
}

TEST(LoopOptions, CountTheCheckpointsThatAreThereAtOnce) {
  const auto count = [](const LoopOptions& options) { return checkpoints_at_once(options, 10, 4); };
  EXPECT_EQ(count({}), 0);
  EXPECT_EQ(count({.save_steps = 3}), 3);
  EXPECT_EQ(count({.save_strategy = IntervalStrategy::kEpoch}), 3);
  EXPECT_EQ(count({.save_strategy = IntervalStrategy::kEpoch, .save_total_limit = 1}), 2);
  EXPECT_EQ(count({.save_strategy = IntervalStrategy::kBest}), 1);
  EXPECT_EQ(count({.save_strategy = IntervalStrategy::kNo}), 0);
}

TEST(BestModel, IsTheFirstOfSeveralThatAreAsGood) {
  BestModel best({.metric_for_best_model = "accuracy"});
  EXPECT_FALSE(best.best());
  EXPECT_TRUE(best.add(10, {{"eval_accuracy", 0.5}}));
  EXPECT_TRUE(best.add(20, {{"eval_accuracy", 0.7}}));
  EXPECT_FALSE(best.add(30, {{"eval_accuracy", 0.7}}));
  EXPECT_FALSE(best.add(40, {{"eval_accuracy", 0.6}}));
  EXPECT_EQ(best.best()->step, 20);
  EXPECT_EQ(best.best()->value, 0.7);
  EXPECT_FALSE(best.out_of_patience());
}

TEST(BestModel, OfALossIsTheLowestAndNeverNaN) {
  BestModel best(LoopOptions{});
  EXPECT_FALSE(best.add(1, {{"eval_loss", NAN}}));
  EXPECT_FALSE(best.best());
  EXPECT_TRUE(best.add(2, {{"eval_loss", 0.9}}));
  EXPECT_FALSE(best.add(3, {{"eval_loss", NAN}}));
  EXPECT_TRUE(best.add(4, {{"eval_loss", 0.8}}));
  EXPECT_EQ(best.best()->step, 4);
}

// transformers' EarlyStoppingCallback compares with the best before the evaluation, and an
// improvement within the threshold is still the best.
TEST(BestModel, RunsOutOfPatienceAsTheReference) {
  BestModel best({.metric_for_best_model = "accuracy",
                  .early_stopping_patience = 2,
                  .early_stopping_threshold = 0.05});
  const auto add = [&](std::int64_t step, double value) {
    best.add(step, {{"eval_accuracy", value}});
    return best.out_of_patience();
  };
  EXPECT_FALSE(add(1, 0.50));
  EXPECT_FALSE(add(2, 0.52)) << "better, but by too little: the first in vain";
  EXPECT_FALSE(add(3, 0.58)) << "by 0.06";
  EXPECT_FALSE(add(4, 0.57));
  EXPECT_TRUE(add(5, 0.60)) << "by 0.02: the second in vain";
  EXPECT_EQ(best.best()->step, 5);
}

TEST(BestModel, NamesTheMetricsThatThereAre) {
  BestModel best({.metric_for_best_model = "acuracy"});
  const testing::Failure failure = testing::failure_of([&] {
    best.add(1, {{"eval_accuracy", 0.5}, {"eval_loss", 1}});
  });
  EXPECT_EQ(failure.code, ExitCode::kUsage);
  EXPECT_EQ(failure.message,
            "--metric-for-best-model eval_acuracy: an evaluation has no such metric; did you mean "
            "\"eval_accuracy\"?; it has eval_accuracy, eval_loss");
}

}  // namespace
}  // namespace tandem
