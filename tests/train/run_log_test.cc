#include "train/run_log.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/temporary_directory.h"

namespace tandem {
namespace {

using testing::TemporaryDirectory;

nlohmann::json read(const std::filesystem::path& path) {
  return nlohmann::json::parse(read_file(path, ExitCode::kData, 1 << 20));
}

TEST(RunLog, ResultsOfAllPhasesAreMergedAsTheReferenceDoes) {
  const TemporaryDirectory directory;
  const auto save = [&](const std::string& phase, const Results& results) {
    StagedFiles files(directory.path());
    stage_results(files, directory.path(), phase, results);
    files.commit();
  };
  save("train", {{"train_loss", 0.25}, {"train_samples", 100}});
  save("eval", {{"eval_accuracy", 0.5}});
  EXPECT_EQ(read_file(directory.path() / "train_results.json", ExitCode::kData, 1000),
            "{\n    \"train_loss\": 0.25,\n    \"train_samples\": 100\n}");
  const nlohmann::json all = read(directory.path() / "all_results.json");
  EXPECT_EQ(all.size(), 3U);
  EXPECT_EQ(all["eval_accuracy"], 0.5);
  EXPECT_EQ(all["train_samples"], 100);
}

TEST(RunLog, AnUnreadableFileOfEarlierResultsIsReplaced) {
  const TemporaryDirectory directory;
  for (const char* const content : {"{\"eval_pearson\": NaN}", "[1]", "", "not JSON"}) {
    directory.write("all_results.json", content);
    StagedFiles files(directory.path());
    stage_results(files, directory.path(), "eval", {{"eval_accuracy", 0.5}});
    files.commit();
    EXPECT_EQ(read(directory.path() / "all_results.json"),
              (nlohmann::json{{"eval_accuracy", 0.5}}));
  }
}

TEST(RunLog, TheBlockIsSortedAndAlignedAsTheReferencePrintsIt) {
  EXPECT_EQ(results_block(
                "eval",
                {{"eval_runtime", 3723.456}, {"eval_accuracy", 0.84123456}, {"eval_samples", 408}}),
            "***** eval metrics *****\n"
            "  eval_accuracy =     0.8412\n"
            "  eval_runtime  = 1:02:03.46\n"
            "  eval_samples  =        408");
}

TEST(RunLog, SpeedsHaveTheNamesAndRoundingOfTheReference) {
  const Results results = speed_results("eval", 2.0, 9, 3);
  EXPECT_EQ(results, (Results{{"eval_runtime", 2.0},
                              {"eval_samples", 9},
                              {"eval_samples_per_second", 4.5},
                              {"eval_steps_per_second", 1.5}}));
}

}  // namespace
}  // namespace tandem
