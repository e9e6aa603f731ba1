#include "report/classifier_quality.h"

#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"

namespace tandem {
namespace {

using nlohmann::json;

// Made by tools/make_quality_fixture.py with scikit-learn.
const json& cases() {
  static const json parsed = json::parse(
      read_file(std::filesystem::path(TANDEM_TEST_DATA_DIR) / "report" / "quality_cases.json",
                ExitCode::kData, 1 << 20));
  return parsed;
}

using Values = std::vector<double>;

// Sums in another order differ by rounding alone.
constexpr double kRounding = 1e-12;

void expect_score(const ClassScore& score, const json& precision, const json& recall,
                  const json& f1) {
  EXPECT_NEAR(score.precision, precision.get<double>(), kRounding);
  EXPECT_NEAR(score.recall, recall.get<double>(), kRounding);
  EXPECT_NEAR(score.f1, f1.get<double>(), kRounding);
}

TEST(ClassifierQuality, ScoresOfClassesAreScikitLearns) {
  for (const json& expected : cases().at("classes")) {
    SCOPED_TRACE(expected.at("name"));
    const auto classes = expected.at("classes").get<std::size_t>();
    const Judged judged{.predicted = expected.at("predicted").get<Values>(),
                        .actual = expected.at("actual").get<Values>(),
                        .classes = static_cast<std::int64_t>(classes)};
    const ConfusionMatrix matrix(judged.actual, judged.predicted, classes);
    const std::vector<ClassScore> scores = class_scores(judged);
    for (std::size_t k = 0; k < classes; ++k) {
      expect_score(scores[k], expected["precision"][k], expected["recall"][k], expected["f1"][k]);
      EXPECT_EQ(scores[k].support, expected["support"][k]);
      for (std::size_t p = 0; p < classes; ++p) {
        EXPECT_EQ(matrix.at(k, p), expected["confusion"][k][p]);
      }
    }
    const json& macro = expected["macro"];
    expect_score(macro_average(scores), macro[0], macro[1], macro[2]);
    const json& weighted = expected["weighted"];
    expect_score(weighted_average(scores), weighted[0], weighted[1], weighted[2]);
  }
}

TEST(ClassifierQuality, CurvesAndAreasAreScikitLearns) {
  for (const json& expected : cases().at("thresholds")) {
    SCOPED_TRACE(expected.at("name"));
    const auto curves = threshold_curves(expected.at("scores").get<Values>(),
                                         expected.at("positive").get<Values>());
    ASSERT_TRUE(curves);
    EXPECT_NEAR(curves->roc_area, expected["roc_area"].get<double>(), kRounding);
    EXPECT_NEAR(curves->average_precision, expected["average_precision"].get<double>(), kRounding);
    ASSERT_EQ(curves->roc.size(), expected["roc"].size());
    for (std::size_t i = 0; i < curves->roc.size(); ++i) {
      EXPECT_NEAR(curves->roc[i].first, expected["roc"][i][0].get<double>(), kRounding);
      EXPECT_NEAR(curves->roc[i].second, expected["roc"][i][1].get<double>(), kRounding);
    }
  }
}

TEST(ClassifierQuality, OneClassAloneHasNoCurves) {
  EXPECT_FALSE(threshold_curves(Values{0.1, 0.2}, Values{1, 1}));
  EXPECT_FALSE(threshold_curves(Values{0.1, 0.2}, Values{0, 0}));
}

TEST(ClassifierQuality, CalibrationIsScikitLearnsCurve) {
  for (const json& expected : cases().at("calibrations")) {
    SCOPED_TRACE(expected.at("name"));
    const Calibration found =
        calibration(expected.at("confidences").get<Values>(), expected.at("right").get<Values>());
    EXPECT_NEAR(found.error, expected["error"].get<double>(), kRounding);
    ASSERT_EQ(found.bins.size(), expected["accuracy"].size());
    for (std::size_t i = 0; i < found.bins.size(); ++i) {
      EXPECT_NEAR(found.bins[i].accuracy, expected["accuracy"][i].get<double>(), kRounding);
      EXPECT_NEAR(found.bins[i].confidence, expected["confidence"][i].get<double>(), kRounding);
      EXPECT_EQ(found.bins[i].examples, expected["examples"][i]);
    }
  }
}

}  // namespace
}  // namespace tandem
