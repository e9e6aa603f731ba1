#include "data/parquet_table.h"

#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "data/read_examples.h"
#include "support/error_message.h"
#include "support/temporary_directory.h"

namespace tandem {
namespace {

using testing::failure_of;
using testing::TemporaryDirectory;

std::filesystem::path test_data(const std::string& path) {
  return std::filesystem::path(TANDEM_TEST_DATA_DIR) / path;
}

const TaskSplit& split_of(const Task& task, SplitRole role) {
  for (const TaskSplit& split : task.used_splits()) {
    if (split.role == role) return split;
  }
  throw DataError("{} has no such split", task.name);
}

TEST(ParquetTable, TellsTextsNumbersAndAbsence) {
  const Table table = read_parquet_table(test_data("formats/parquet/dictionary.parquet"));
  EXPECT_EQ(table.rows(), 300);
  EXPECT_EQ(table.cell(3, 0), "row 3\t\"\u00e9\"\n");
  EXPECT_EQ(table.kind(3, 0), CellKind::kText);
  EXPECT_EQ(table.kind(4, 1), CellKind::kNull);
  EXPECT_EQ(table.cell(4, 2), "0");
  EXPECT_EQ(table.kind(4, 2), CellKind::kNumber);
  EXPECT_EQ(table.line(4), 5);
}

TEST(HubFile, IsNamedAsInTheHubsDataSet) {
  const auto name = [](const char* task, std::size_t split) {
    const Task& found = find_task(task);
    return hub_file(found, found.used_splits()[split]);
  };
  EXPECT_EQ(name("mrpc", 0), "mrpc/train-00000-of-00001.parquet");
  EXPECT_EQ(name("sst2", 1), "sst2/validation-00000-of-00001.parquet");
  EXPECT_EQ(name("mnli", 2), "mnli/validation_mismatched-00000-of-00001.parquet");
  EXPECT_EQ(name("mnli", 3), "mnli/test_matched-00000-of-00001.parquet");
  EXPECT_EQ(name("ax", 0), "ax/test-00000-of-00001.parquet");
}

TEST(HubFile, IsATasksSplitWhereThereIsNoTsv) {
  const TemporaryDirectory directory;
  const Task& task = find_task("mrpc");
  std::filesystem::create_directory(directory.path() / "mrpc");
  for (const auto& [from, role] :
       {std::pair("train", SplitRole::kTrain), std::pair("test", SplitRole::kTest)}) {
    std::filesystem::copy_file(test_data(std::string("cli/glue_mrpc/") + from + ".parquet"),
                               directory.path() / hub_file(task, split_of(task, role)));
  }
  const ExampleSet train =
      read_task_split(task, split_of(task, SplitRole::kTrain), directory.path());
  ASSERT_EQ(train.examples.size(), 6U);
  EXPECT_EQ(train.examples[1].text, "the film was good 1");
  EXPECT_EQ(train.examples[1].pair, "this film is good");
  EXPECT_EQ(train.examples[1].label, 1);
  const ExampleSet test = read_task_split(task, split_of(task, SplitRole::kTest), directory.path());
  EXPECT_TRUE(std::isnan(test.examples[0].label)) << "-1 is a hidden label";
  const auto failure = failure_of(
      [&] { read_task_split(task, split_of(task, SplitRole::kValidation), directory.path()); });
  EXPECT_EQ(failure.code, ExitCode::kData);
}

}  // namespace
}  // namespace tandem
