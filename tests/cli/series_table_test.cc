#include "cli/series_table.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tandem {
namespace {

std::vector<SeriesRow> rows() {
  std::vector<SeriesRow> rows;
  for (const auto& [seed, accuracy] :
       {std::pair<std::string, double>{"42", 0.5}, {"43", 0.75}, {"44", 0.25}}) {
    rows.push_back({.settings = {{"seed", seed}},
                    .results = {{"eval_accuracy", accuracy},
                                {"eval_loss", 10.0},
                                {"eval_runtime", 1.5},
                                {"eval_samples_per_second_mm", 3},
                                {"epoch", 3}},
                    .directory = "seed-" + seed});
  }
  return rows;
}

TEST(SeriesTable, HasALineForEachRunAndMarksTheBest) {
  EXPECT_EQ(series_table(rows(), 1),
            "seed  eval_accuracy  eval_loss\n"
            "  42         0.5000    10.0000\n"
            "  43         0.7500    10.0000  *\n"
            "  44         0.2500    10.0000\n");
}

TEST(SeriesTable, SumsUpByMeanAndStandardDeviation) {
  const SeriesSummary summary = summary_of(rows());
  EXPECT_EQ(summary.mean, (Results{{"eval_accuracy", 0.5}, {"eval_loss", 10}}));
  EXPECT_EQ(summary.standard_deviation, (Results{{"eval_accuracy", 0.25}, {"eval_loss", 0}}));
  EXPECT_EQ(summary_lines(summary),
            "                  mean  standard deviation\n"
            "eval_accuracy   0.5000              0.2500\n"
            "    eval_loss  10.0000              0.0000\n");
}

TEST(SeriesTable, KeepsAllResultsAsJson) {
  const nlohmann::json json = series_json(rows());
  EXPECT_EQ(json.size(), 3U);
  EXPECT_EQ(json[1]["seed"], 43);
  EXPECT_EQ(json[1]["eval_runtime"], 1.5);
  EXPECT_EQ(json[1]["directory"], "seed-43");
}

}  // namespace
}  // namespace tandem
