#include "train/metrics.h"

#include <cmath>

#include <gtest/gtest.h>

#include "support/error_message.h"

namespace tandem {
namespace {

// Expected values from scikit-learn 1.9 and scipy 1.17 on the same lists.
TEST(Metrics, OfTwoClassesAreScikitLearns) {
  const Judged judged{
      .predicted = {1, 0, 1, 1, 0, 0, 1, 0}, .actual = {1, 0, 0, 1, 1, 0, 1, 1}, .classes = 2};
  EXPECT_NEAR(accuracy(judged), 0.625, 1e-12);
  EXPECT_NEAR(binary_f1(judged), 2 * 3.0 / (4 + 5), 1e-12);
  EXPECT_NEAR(matthews_correlation(judged), 0.2581988897471611, 1e-12);
}

TEST(Metrics, MatthewsOfThreeClassesIsGorodkins) {
  const Judged judged{.predicted = {0, 1, 2, 2, 1, 0}, .actual = {0, 1, 2, 1, 1, 2}, .classes = 3};
  EXPECT_NEAR(matthews_correlation(judged), 0.5222329678670935, 1e-12);
}

TEST(Metrics, DegenerateInputsHaveTheReferencesValues) {
  const Judged constant{.predicted = {0, 0, 0}, .actual = {0, 1, 0}, .classes = 2};
  EXPECT_EQ(matthews_correlation(constant), 0);
  EXPECT_EQ(binary_f1(constant), 0);
  const std::vector<double> flat = {1, 1, 1};
  const std::vector<double> rising = {1, 2, 3};
  EXPECT_TRUE(std::isnan(pearson_correlation(flat, rising)));
  const std::vector<double> broken = {1, NAN, 3};
  EXPECT_TRUE(std::isnan(spearman_correlation(broken, rising)));
}

TEST(Metrics, CorrelationsTreatTiesAsScipy) {
  const std::vector<double> x = {1, 2, 2, 4, 5};
  const std::vector<double> y = {2, 1, 3, 5, 4};
  EXPECT_NEAR(pearson_correlation(x, y), 0.7698003589195009, 1e-12);
  EXPECT_NEAR(spearman_correlation(x, y), 0.7181848464596079, 1e-12);
}

TEST(Metrics, SeveralHaveTheirMeanAsCombinedScore) {
  const Judged judged{.predicted = {1, 0, 1, 1}, .actual = {1, 0, 0, 1}, .classes = 2};
  const std::vector<std::string> names = {"accuracy", "f1"};
  const auto values = all_metrics(names, judged);
  ASSERT_EQ(values.size(), 3U);
  EXPECT_EQ(values[2].first, "combined_score");
  EXPECT_NEAR(values[2].second, (0.75 + 0.8) / 2, 1e-12);
}

TEST(Metrics, AnUnknownNameListsTheKnownOnes) {
  const auto failure = testing::failure_of([] { metric_value("bleu", {}); });
  EXPECT_EQ(failure.code, ExitCode::kUsage);
  EXPECT_NE(failure.message.find("spearmanr"), std::string::npos);
}

}  // namespace
}  // namespace tandem
