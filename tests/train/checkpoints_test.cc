#include "train/checkpoints.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "support/error_message.h"
#include "support/temporary_directory.h"

namespace tandem {
namespace {

using testing::TemporaryDirectory;

std::vector<std::string> names_in(const std::filesystem::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

class CheckpointsTest : public ::testing::Test {
 protected:
  void save(Checkpoints& checkpoints, std::int64_t step, std::optional<std::int64_t> best = {}) {
    checkpoints.save(
        step, [&](StagedFiles& files) { files.add("step", fmt::format("{}", step)); }, best);
  }
  using Names = std::vector<std::string>;
  TemporaryDirectory directory_;
};

TEST_F(CheckpointsTest, AllStayWithoutALimit) {
  Checkpoints checkpoints(directory_.path(), 0);
  for (const std::int64_t step : {5, 10, 15}) save(checkpoints, step);
  EXPECT_EQ(names_in(directory_.path()), (Names{"checkpoint-10", "checkpoint-15", "checkpoint-5"}));
  EXPECT_EQ(read_file(checkpoints.path_of(10) / "step", ExitCode::kData, 10), "10");
}

TEST_F(CheckpointsTest, TheOldestGoButNeverTheBestOrTheNewest) {
  Checkpoints checkpoints(directory_.path(), 2);
  save(checkpoints, 5, 5);
  save(checkpoints, 10, 5);
  save(checkpoints, 15, 5);
  EXPECT_EQ(names_in(directory_.path()), (Names{"checkpoint-15", "checkpoint-5"}));
  save(checkpoints, 20, 20);
  EXPECT_EQ(names_in(directory_.path()), (Names{"checkpoint-15", "checkpoint-20"}));
}

TEST_F(CheckpointsTest, WithALimitOfOneTheBestAloneIsLeftAtTheEnd) {
  Checkpoints checkpoints(directory_.path(), 1);
  save(checkpoints, 5, 5);
  save(checkpoints, 10, 5);
  EXPECT_EQ(names_in(directory_.path()), (Names{"checkpoint-10", "checkpoint-5"}));
  checkpoints.finish(5);
  EXPECT_EQ(names_in(directory_.path()), (Names{"checkpoint-5"}));
}

TEST_F(CheckpointsTest, OneThatFailsLeavesNothingAndTheOthersAsTheyWere) {
  Checkpoints checkpoints(directory_.path(), 1);
  save(checkpoints, 5);
  const testing::Failure failure = testing::failure_of([&] {
    checkpoints.save(
        10,
        [](StagedFiles& files) {
          files.add("step", "10");
          throw WallError("no space left");
        },
        std::nullopt);
  });
  EXPECT_EQ(failure.code, ExitCode::kWall);
  EXPECT_EQ(names_in(directory_.path()), (Names{"checkpoint-5"}));
}

TEST_F(CheckpointsTest, ThoseOfAnEarlierRunStayUntilTheyAreReplaced) {
  for (const char* const name : {"checkpoint-5", "checkpoint-900", ".checkpoint-7.tmp-999999999"}) {
    std::filesystem::create_directory(directory_.path() / name);
    directory_.write(std::string(name) + "/old", "");
  }
  std::filesystem::create_directory(directory_.path() / "checkpoint-mine");
  Checkpoints checkpoints(directory_.path(), 1);
  EXPECT_EQ(checkpoints.of_earlier_runs(), (Names{"checkpoint-5", "checkpoint-900"}));
  save(checkpoints, 5);
  save(checkpoints, 10);
  EXPECT_EQ(names_in(directory_.path()),
            (Names{"checkpoint-10", "checkpoint-900", "checkpoint-mine"}));
  EXPECT_EQ(checkpoints.of_earlier_runs(), (Names{"checkpoint-900"}));
}

}  // namespace
}  // namespace tandem
