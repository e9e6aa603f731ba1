#include "train/metrics.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/error_message.h"

namespace tandem {
namespace {

// What tools/make_metric_cases.py made with scikit-learn and scipy.
nlohmann::json reference_cases() {
  std::ifstream file(std::filesystem::path(TANDEM_TEST_DATA_DIR) / "train" / "metric_cases.json");
  return nlohmann::json::parse(file)["cases"];
}

TEST(Metrics, AreScikitLearnsAndScipysOnRandomAndDegenerateInputs) {
  std::size_t compared = 0;
  for (const nlohmann::json& example : reference_cases()) {
    const Judged judged{.predicted = example["predicted"],
                        .actual = example["actual"],
                        .classes = example["classes"],
                        .several = example["several"]};
    for (const auto& [name, expected] : example["expected"].items()) {
      const double value = metric_value(name, judged);
      if (expected.is_null()) {
        EXPECT_TRUE(std::isnan(value)) << name << " of " << example["name"] << ": " << value;
      } else {
        const double reference = expected;
        EXPECT_NEAR(value, reference, 1e-9 * std::max(1.0, std::abs(reference)))
            << name << " of " << example["name"];
      }
      ++compared;
    }
  }
  EXPECT_GT(compared, 150U);
}

TEST(Metrics, SpearmanOfValuesThatAreNotNumbersIsNone) {
  const std::vector<double> rising = {1, 2, 3};
  const std::vector<double> broken = {1, NAN, 3};
  EXPECT_TRUE(std::isnan(spearman_correlation(broken, rising)));
}

TEST(Metrics, ClassesAreCounted) {
  const Judged judged{.predicted = {0, 1, 1, 2}, .actual = {0, 1, 2, 2}, .classes = 3};
  const std::vector<ClassCounts> counts = count_classes(judged);
  ASSERT_EQ(counts.size(), 3U);
  EXPECT_EQ(counts[1].right, 1);
  EXPECT_EQ(counts[1].wrong, 1);
  EXPECT_EQ(counts[2].missed, 1);
  EXPECT_EQ(precision(counts[1]), 0.5);
  EXPECT_EQ(recall(counts[2]), 0.5);
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
