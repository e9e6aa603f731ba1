#include "train/evaluation_warnings.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

const std::vector<std::string> kNames = {"bad", "good", "so-so"};

// So many rows of each (actual, predicted), for K classes.
Judged judged(std::int64_t classes,
              const std::vector<std::tuple<double, double, std::int64_t>>& groups) {
  Judged result;
  result.classes = classes;
  for (const auto& [actual, predicted, rows] : groups) {
    for (std::int64_t i = 0; i < rows; ++i) {
      result.actual.push_back(actual);
      result.predicted.push_back(predicted);
    }
  }
  return result;
}

TEST(EvaluationWarnings, OneClassForEverything) {
  const auto warnings = evaluation_warnings(judged(2, {{0, 1, 30}, {1, 1, 70}}), kNames);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].find("all 100 rows are predicted \"good\", which 70.0% of them are"), 0U);
}

TEST(EvaluationWarnings, NothingWhereAllRowsAreOfThatClass) {
  EXPECT_TRUE(evaluation_warnings(judged(2, {{1, 1, 70}}), kNames).empty());
}

TEST(EvaluationWarnings, LabelsNumberedTheOtherWayRound) {
  const auto warnings =
      evaluation_warnings(judged(2, {{0, 1, 45}, {0, 0, 5}, {1, 0, 44}, {1, 1, 6}}), kNames);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].find("accuracy 0.110 is below chance, 0.500; it would be 0.890 if \"bad\" "
                             "meant \"good\" and \"good\" meant \"bad\""),
            0U)
      << warnings[0];
}

TEST(EvaluationWarnings, ThreeLabelsInARing) {
  const auto warnings =
      evaluation_warnings(judged(3, {{0, 1, 40}, {1, 2, 40}, {2, 0, 40}, {0, 0, 5}}), kNames);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("it would be 0.960 if \"bad\" meant \"so-so\" and \"good\" meant "
                             "\"bad\" and \"so-so\" meant \"good\""),
            std::string::npos)
      << warnings[0];
}

// What chance gives now and then, and what no other order would make good.
TEST(EvaluationWarnings, NothingWhereChanceExplainsIt) {
  EXPECT_TRUE(
      evaluation_warnings(judged(2, {{0, 1, 3}, {1, 0, 3}, {0, 0, 2}, {1, 1, 2}}), kNames).empty());
  EXPECT_TRUE(evaluation_warnings(judged(2, {{0, 1, 300}, {1, 1, 99}, {1, 0, 1}}), kNames).empty())
      << "the other order would be as good as the commonest label";
  EXPECT_TRUE(evaluation_warnings(judged(2, {{0, 0, 40}, {1, 1, 40}, {1, 0, 5}}), kNames).empty());
  EXPECT_TRUE(evaluation_warnings(Judged{.predicted = {0.5}, .actual = {2.5}}, {}).empty());
}

}  // namespace
}  // namespace tandem
