#include "report/training_section.h"

#include <cmath>

#include <gtest/gtest.h>

namespace tandem {
namespace {

using nlohmann::json;

std::vector<json> sample_log() {
  return {{{"step", 10}, {"epoch", 0.5}, {"loss", 0.7}},
          {{"step", 20}, {"epoch", 1.0}, {"eval_loss", 0.6}, {"eval_f1", 0.7}, {"eval_runtime", 2}},
          {{"step", 40}, {"epoch", 2.0}, {"eval_loss", 0.5}, {"eval_f1", 0.9}, {"eval_runtime", 2}},
          {{"step", 60}, {"epoch", 3.0}, {"eval_loss", NAN}, {"eval_f1", 0.9}, {"eval_runtime", 2}},
          {{"step", 60}, {"epoch", 3.0}, {"train_runtime", 9}}};
}

TrainingCurve sample_curve() {
  TrainingCurve curve;
  for (int i = 1; i <= 60; ++i) {
    curve.add({.step = 1.0 * i, .loss = 1.0 / i, .gradient_norm = 2, .learning_rate = 1e-5 * i});
  }
  return curve;
}

TEST(TrainingSection, TheBestIsTheFirstOfEquals) {
  const std::vector<json> evaluations = evaluations_of(sample_log());
  ASSERT_EQ(evaluations.size(), 3U);
  EXPECT_EQ(best_evaluation(evaluations, {.key = "eval_f1"}), 1U);
  EXPECT_EQ(best_evaluation(evaluations, {.key = "eval_loss", .greater_is_better = false}), 1U);
  EXPECT_EQ(best_evaluation(evaluations, {.key = "eval_f1", .greater_is_better = false}), 0U);
  EXPECT_EQ(best_evaluation(evaluations, {.key = "eval_accuracy"}), std::nullopt);
  EXPECT_EQ(best_evaluation({}, {.key = "eval_f1"}), std::nullopt);
}

TEST(TrainingSection, TellsQualityFromSpeed) {
  for (const char* const name : {"eval_f1", "eval_accuracy_mm", "eval_loss", "loss"}) {
    EXPECT_TRUE(tells_quality(name)) << name;
  }
  for (const char* const name :
       {"eval_runtime", "eval_runtime_mm", "eval_samples", "eval_samples_per_second_mm",
        "eval_steps_per_second", "epoch", "step"}) {
    EXPECT_FALSE(tells_quality(name)) << name;
  }
}

TEST(TrainingSection, DrawsCurvesAndMarksTheBest) {
  const std::string html = training_section(sample_curve(), sample_log(), {.key = "eval_f1"});
  for (const char* const title :
       {"<figcaption>Loss</", "f1 by evaluation, best 0.9000 at step 40</", "Learning rate</",
        "Gradient norm"}) {
    EXPECT_NE(html.find(title), html.npos) << title;
  }
  EXPECT_NE(html.find("<circle class=\"best\""), html.npos);
  EXPECT_NE(html.find("<tr class=\"best\"><td>40</td><td>2.00</td><td>0.9000</td><td>0.5000</td>"),
            html.npos)
      << html;
  EXPECT_EQ(html.find("nan"), html.npos);
  EXPECT_EQ(html.find("runtime"), html.npos);
}

TEST(TrainingSection, WithoutEvaluationsThereIsNoTable) {
  const std::string html = training_section(sample_curve(), {}, {.key = "eval_f1"});
  EXPECT_NE(html.find("<figcaption>Loss</"), html.npos);
  EXPECT_EQ(html.find("<table"), html.npos);
  EXPECT_EQ(html.find("by evaluation"), html.npos);
}

}  // namespace
}  // namespace tandem
