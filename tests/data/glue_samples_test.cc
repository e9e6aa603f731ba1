// Small samples in the format of GLUE's own files, with their quirks (tests/data/glue).
#include <cmath>

#include <gtest/gtest.h>

#include "data/read_examples.h"
#include "data/task_results.h"

namespace tandem {
namespace {

std::filesystem::path samples() {
  return std::filesystem::path(TANDEM_TEST_DATA_DIR) / "data" / "glue";
}

struct Expected {
  const char* task;
  std::vector<std::int64_t> rows;  // of each split, in the order of the task's table
};

TEST(GlueSamples, OfEveryTaskAreReadWhole) {
  const Expected all[] = {{"cola", {8, 4, 3}}, {"sst2", {8, 4, 3}}, {"mrpc", {8, 4, 3}},
                          {"stsb", {8, 4, 3}}, {"qqp", {6, 4, 3}},  {"mnli", {8, 3, 4, 2, 3}},
                          {"qnli", {6, 3, 2}}, {"rte", {6, 3, 2}},  {"wnli", {4, 2, 2}},
                          {"ax", {4}}};
  for (const Expected& expected : all) {
    const Task& task = find_task(expected.task);
    const std::span<const TaskSplit> splits = task.used_splits();
    ASSERT_EQ(splits.size(), expected.rows.size()) << task.name;
    for (std::size_t s = 0; s < splits.size(); ++s) {
      const ExampleSet set = read_task_split(task, splits[s], samples());
      EXPECT_EQ(set.rows, expected.rows[s]) << set.source;
      for (const Example& example : set.examples) {
        EXPECT_EQ(std::isnan(example.label), splits[s].role == SplitRole::kTest) << set.source;
        EXPECT_EQ(example.pair.has_value(), !task.pair[0].empty()) << set.source;
        EXPECT_FALSE(example.text.empty()) << set.source;
      }
    }
  }
}

TEST(GlueSamples, KeepTheirQuirks) {
  const auto train = [](const char* name) {
    const Task& task = find_task(name);
    return read_task_split(task, task.used_splits().front(), samples());
  };
  EXPECT_EQ(train("cola").examples[3].text, "The film is \"awful\".");
  EXPECT_EQ(train("cola").examples[1].label, 0);
  EXPECT_EQ(train("mrpc").examples[0].text, "He said \"the tea is good.");
  EXPECT_EQ(train("mrpc").examples[1].pair, "\"The book was great.\"");
  EXPECT_EQ(train("qqp").skipped_rows, 3);
  EXPECT_EQ(train("qqp").examples[2].line, 6);
  EXPECT_EQ(train("stsb").examples[1].label, 0.25F);
  const Task& mnli = find_task("mnli");
  EXPECT_EQ(read_task_split(mnli, mnli.splits[1], samples()).examples[1].label, 2);
}

TEST(GlueSamples, AreSmallerThanThePublishedSplits) {
  const Task& task = find_task("rte");
  const TaskSplit& split = task.used_splits().front();
  ExampleSet set = read_task_split(task, split, samples(), 2);
  EXPECT_EQ(set.examples.size(), 2U);
  const std::string note = size_note(task, split, set).value_or("");
  EXPECT_NE(note.find("RTE/train.tsv: has 6 rows, 2490 are published for this split of rte"),
            std::string::npos)
      << note;
  set.rows = 2490;
  EXPECT_EQ(size_note(task, split, set), std::nullopt);
}

TEST(TaskResults, AreKnownForEveryMetricAndFile) {
  for (const Task& task : glue_tasks()) {
    for (const std::string_view metric : task.metrics) {
      if (metric.empty() || task.name == "ax") continue;
      const auto range = published_range(task, metric);
      ASSERT_TRUE(range.has_value()) << task.name << " " << metric;
      EXPECT_LE(range->low, range->high);
    }
    for (const TaskSplit& split : task.used_splits()) {
      if (split.role != SplitRole::kTest) continue;
      EXPECT_TRUE(submission_file(task, split).ends_with(".tsv")) << task.name;
    }
  }
  EXPECT_EQ(submission_file(find_task("mnli"), find_task("mnli").splits[4]), "MNLI-mm.tsv");
  EXPECT_EQ(submission_file(find_task("mnli"), find_task("mnli").splits[3]), "MNLI-m.tsv");
  EXPECT_TRUE(submits_numbers(find_task("wnli")));
  EXPECT_FALSE(submits_numbers(find_task("rte")));
  EXPECT_EQ(published_range(find_task("ax"), "matthews_correlation"), std::nullopt);
}

}  // namespace
}  // namespace tandem
