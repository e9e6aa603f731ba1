#include "data/task.h"

#include <cmath>

#include <gtest/gtest.h>

#include "data/read_examples.h"
#include "support/error_message.h"
#include "support/temporary_directory.h"

namespace tandem {
namespace {

using testing::failure_of;
using testing::TemporaryDirectory;

const TaskSplit& split_of(const Task& task, SplitRole role) {
  for (const TaskSplit& split : task.used_splits()) {
    if (split.role == role) return split;
  }
  throw UsageError("no such split");
}

// The examples of a split whose file has this text.
ExampleSet read(std::string_view task_name, SplitRole role, std::string_view text) {
  const Task& task = find_task(task_name);
  const TaskSplit& split = split_of(task, role);
  const TemporaryDirectory directory;
  directory.write(std::string(split.file), text);
  return read_task_split(task, split, directory.path());
}

std::string failure(std::string_view task_name, SplitRole role, std::string_view text) {
  const auto failed = failure_of([&] { read(task_name, role, text); });
  EXPECT_EQ(failed.code, ExitCode::kData) << failed.message;
  const std::size_t name = failed.message.rfind('/');
  return name == std::string::npos ? failed.message : failed.message.substr(name + 1);
}

TEST(Task, IsFoundByNameInAnySpelling) {
  EXPECT_EQ(find_task("mrpc").name, "mrpc");
  EXPECT_EQ(find_task("SST-2").name, "sst2");
  EXPECT_EQ(find_task("STS-B").kind, ProblemKind::kRegression);
  const auto failed = failure_of([] { find_task("mrcp"); });
  EXPECT_EQ(failed.code, ExitCode::kUsage);
  EXPECT_EQ(failed.message,
            "there is no task \"mrcp\" (tasks: \"cola\", \"sst2\", \"mrpc\", \"stsb\", \"qqp\", "
            "\"mnli\", \"qnli\", \"rte\", \"wnli\", \"ax\"; for a table of your own use "
            "--train-file); did you mean \"mrpc\"?");
}

TEST(Task, TableIsComplete) {
  ASSERT_EQ(glue_tasks().size(), 10);
  for (const Task& task : glue_tasks()) {
    const bool regression = task.kind == ProblemKind::kRegression;
    EXPECT_EQ(label_scheme(task).names.empty(), regression) << task.name;
    EXPECT_FALSE(task.main_metric().empty()) << task.name;
    EXPECT_FALSE(task.text[0].empty()) << task.name;
    EXPECT_EQ(task.used_splits().size(), task.name == "mnli" ? 5 : task.name == "ax" ? 1 : 3);
    for (const TaskSplit& split : task.used_splits()) EXPECT_GT(split.examples, 0) << task.name;
  }
  EXPECT_EQ(label_scheme(find_task("mnli")).names,
            (std::vector<std::string>{"entailment", "neutral", "contradiction"}));
  EXPECT_EQ(find_task("mnli").splits[2].metric_suffix, "_mm");
}

TEST(Task, MrpcHasAByteOrderMarkAndQuotes) {
  const ExampleSet set = read("mrpc", SplitRole::kTrain,
                              "\xEF\xBB\xBFQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\r\n"
                              "1\t11\t12\tHe said \"yes.\tHe agreed.\r\n"
                              "0\t21\t22\tIt rained.\t\"It snowed.\"\r\n");
  ASSERT_EQ(set.examples.size(), 2);
  EXPECT_EQ(set.examples[0].text, "He said \"yes.");
  EXPECT_EQ(set.examples[0].pair, "He agreed.");
  EXPECT_EQ(set.examples[0].label, 1);
  EXPECT_EQ(set.examples[1].pair, "\"It snowed.\"");
  EXPECT_EQ(set.examples[1].line, 3);
}

TEST(Task, MrpcTestHasAnIndexInPlaceOfLabels) {
  const ExampleSet set = read("mrpc", SplitRole::kTest,
                              "index\t#1 ID\t#2 ID\t#1 String\t#2 String\n0\t11\t12\ta\tb\n");
  ASSERT_EQ(set.examples.size(), 1);
  EXPECT_EQ(set.examples[0].pair, "b");
  EXPECT_TRUE(std::isnan(set.examples[0].label));
}

TEST(Task, RteHasLabelsByNameOrById) {
  const ExampleSet names = read("rte", SplitRole::kTrain,
                                "index\tsentence1\tsentence2\tlabel\n0\ta\tb\tnot_entailment\n"
                                "1\tc\td\tentailment\n");
  EXPECT_EQ(names.examples[0].label, 1);
  EXPECT_EQ(names.examples[1].label, 0);
  const ExampleSet ids = read("rte", SplitRole::kValidation,
                              "sentence1\tsentence2\tlabel\tidx\na\tb\t1\t0\nc\td\t0\t1\n");
  EXPECT_EQ(ids.examples[0].label, 1);
  EXPECT_EQ(ids.examples[1].pair, "d");
}

TEST(Task, Sst2TestMayHideItsLabels) {
  EXPECT_TRUE(
      std::isnan(read("sst2", SplitRole::kTest, "index\tsentence\n0\tso so\n").examples[0].label));
  EXPECT_TRUE(
      std::isnan(read("sst2", SplitRole::kTest, "sentence\tlabel\nso so\t-1\n").examples[0].label));
  EXPECT_EQ(failure("sst2", SplitRole::kTrain, "sentence\tlabel\nso so\t-1\n"),
            "train.tsv:2: the label \"-1\" is not one that task sst2 knows: \"negative\", "
            "\"positive\"");
}

TEST(Task, ColaHasNoHeaderButItsTestFileHas) {
  const ExampleSet train =
      read("cola", SplitRole::kTrain, "xx01\t1\t\tBirds sing.\nxx02\t0\t*\tSing birds the.\n");
  ASSERT_EQ(train.examples.size(), 2);
  EXPECT_EQ(train.examples[0].text, "Birds sing.");
  EXPECT_EQ(train.examples[0].label, 1);
  EXPECT_EQ(train.examples[0].line, 1);
  const ExampleSet test = read("cola", SplitRole::kTest, "index\tsentence\n0\tBirds sing.\n");
  ASSERT_EQ(test.examples.size(), 1);
  EXPECT_EQ(test.examples[0].line, 2);
}

TEST(Task, QqpSkipsAndCountsBrokenRows) {
  const ExampleSet set = read("qqp", SplitRole::kTrain,
                              "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n"
                              "0\t1\t2\tWhy?\tHow?\t0\n1\t3\t4\tbroken\n?\t1\n"
                              "2\t5\t6\tWho?\tWho is it?\t1\n");
  ASSERT_EQ(set.examples.size(), 2);
  EXPECT_EQ(set.skipped_rows, 2);
  EXPECT_EQ(set.examples[1].label, 1);
  EXPECT_EQ(set.examples[1].line, 5);
}

TEST(Task, StsbHasScores) {
  const ExampleSet set = read(
      "stsb", SplitRole::kTrain,
      "index\tgenre\tfilename\tyear\told_index\tsource1\tsource2\tsentence1\tsentence2\tscore\n"
      "0\tnews\tf\t2012\t1\tnone\tnone\tA dog.\tA cat.\t1.400\n");
  EXPECT_EQ(set.examples[0].label, 1.4F);
  EXPECT_EQ(set.examples[0].pair, "A cat.");
}

TEST(Task, MnliTakesTheGoldLabelAmongAnnotators) {
  const std::string header =
      "index\tpromptID\tpairID\tgenre\tsentence1_binary_parse\tsentence2_binary_parse\t"
      "sentence1_parse\tsentence2_parse\tsentence1\tsentence2\tlabel1\tlabel2\tgold_label\n";
  const ExampleSet set = read("mnli", SplitRole::kValidation,
                              header +
                                  "0\t1\t1e\tfiction\t( a )\t( b )\t(A)\t(B)\tIt rains.\tIt is "
                                  "wet.\tneutral\tentailment\tentailment\n");
  EXPECT_EQ(set.examples[0].text, "It rains.");
  EXPECT_EQ(set.examples[0].label, 0);
}

TEST(Task, QnliWnliAndAxHaveTheirColumns) {
  EXPECT_EQ(read("qnli", SplitRole::kTrain,
                 "index\tquestion\tsentence\tlabel\n0\tWho?\tHe did.\tentailment\n")
                .examples[0]
                .label,
            0);
  EXPECT_EQ(read("wnli", SplitRole::kTrain,
                 "index\tsentence1\tsentence2\tlabel\n0\tHe ran.\tBob ran.\t1\n")
                .examples[0]
                .label,
            1);
  EXPECT_TRUE(std::isnan(
      read("ax", SplitRole::kTest, "index\tsentence1\tsentence2\n0\ta\tb\n").examples[0].label));
}

TEST(Task, NamesAMissingColumnAndABrokenRow) {
  EXPECT_EQ(failure("mrpc", SplitRole::kTrain, "Quality\t#1 String\n1\ta\n"),
            "train.tsv: task mrpc needs a column \"#2 String\" or \"sentence2\"; the header has "
            "\"Quality\", \"#1 String\"");
  EXPECT_EQ(failure("sst2", SplitRole::kTrain, "sentence\tlabel\na\t1\nb\n"),
            "train.tsv:3: expected 2 tab-separated fields as in the header (\"sentence\", "
            "\"label\"), found 1");
}

TEST(Task, FindsItsFolderAndSaysWhereItLooked) {
  const TemporaryDirectory directory;
  const Task& task = find_task("sst2");
  const TaskSplit& split = task.splits[0];
  const auto failed = failure_of([&] { task_file(task, split, directory.path()); });
  EXPECT_EQ(failed.code, ExitCode::kData);
  EXPECT_TRUE(failed.message.starts_with("task sst2: there is no train.tsv (looked for \""))
      << failed.message;
  EXPECT_NE(failed.message.find("/SST-2/train.tsv\""), std::string::npos) << failed.message;
  std::filesystem::create_directory(directory.path() / "SST-2");
  const auto file = directory.write("SST-2/train.tsv", "sentence\tlabel\na\t1\n");
  EXPECT_EQ(task_file(task, split, directory.path()), file);
}

}  // namespace
}  // namespace tandem
