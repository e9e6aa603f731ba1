#include "train/training_progress.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "support/error_message.h"

namespace tandem {
namespace {

SavedTraining some_training() {
  SavedTraining training;
  TrainingProgress& progress = training.progress;
  progress.steps = 7;
  progress.examples = 56;
  progress.tokens = 1234;
  progress.seconds = 0.1 + 0.2;
  progress.gradient_norm = 1.0 / 3;
  progress.learning_rate = 5e-5;
  progress.all = {.sum = 4.9, .count = 7};
  progress.since_entry = {.sum = 0.7, .count = 1};
  progress.best = {.evaluation = BestEvaluation{.step = 5, .value = 0.875},
                   .evaluations_without_a_better = 2};
  progress.best_checkpoint = 5;
  progress.saved_before = true;
  progress.settled = false;
  for (int step = 1; step <= 301; ++step) {
    progress.curve.add({.step = static_cast<double>(step), .loss = 1.0 / step});
  }
  training.computed_by = {.program = "0.1.0", .kernels = "avx2", .precision = "fp32", .ranks = 2};
  training.batch_size = 32;
  training.data = "0123";
  training.log = {{{"step", 5}, {"eval_pearson", std::numeric_limits<double>::quiet_NaN()}},
                  {{"step", 7}, {"loss", 0.7}}};
  return training;
}

TEST(TrainingProgress, ComesBackAsItWas) {
  const SavedTraining before = some_training();
  const SavedTraining after = parse_training_progress(training_progress_text(before), "file");
  EXPECT_EQ(training_progress_text(after), training_progress_text(before));
  EXPECT_EQ(after.progress.seconds, before.progress.seconds) << "to the last bit";
  EXPECT_EQ(after.progress.best.evaluation->value, 0.875);
  EXPECT_FALSE(after.progress.settled);
  EXPECT_EQ(after.computed_by, before.computed_by);
  EXPECT_TRUE(std::isnan(after.log[0].at("eval_pearson").get<double>()));
  EXPECT_TRUE(after.log[1].at("step").is_number_integer());
  ASSERT_EQ(after.progress.curve.points().size(), before.progress.curve.points().size());
  EXPECT_EQ(after.progress.curve.points().back().loss, before.progress.curve.points().back().loss);
}

TEST(TrainingProgress, TheEarliestHasNothingYet) {
  SavedTraining before = some_training();
  before.progress = {};
  const SavedTraining after = parse_training_progress(training_progress_text(before), "file");
  EXPECT_FALSE(after.progress.best.evaluation);
  EXPECT_FALSE(after.progress.best_checkpoint);
  EXPECT_TRUE(after.progress.settled);
}

TEST(TrainingProgress, OtherTextsAreRefused) {
  const std::string good = training_progress_text(some_training());
  const auto fault_with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return testing::failure_of([&] { parse_training_progress(text, "file"); });
  };
  EXPECT_NE(fault_with("\"format\": 1", "\"format\": 2").message.find("use a newer one"),
            std::string::npos);
  for (const auto& [from, to] :
       {std::pair<std::string, std::string>{"\"steps\": 7", "\"steps\": -7"},
        {"\"steps\": 7", "\"steps\": 7.5"},
        {"\"batch_size\": 32", "\"batch_size\": 0"},
        {"\"settled\": false", "\"settled\": 0"},
        {"\"avx2\"", "2"},
        {"\"NaN\"", "\"nothing\""},
        {"\"updates_of_point\": ", "\"updates_of_point\": -"},
        {"\"saved_before\"", "\"something\""}}) {
    EXPECT_EQ(fault_with(from, to).code, ExitCode::kModel) << to;
  }
}

}  // namespace
}  // namespace tandem
