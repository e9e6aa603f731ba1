#include "data/read_examples.h"

#include <cmath>

#include <gtest/gtest.h>

#include "support/error_message.h"
#include "table_text.h"

namespace tandem {
namespace {

using testing::failure_of;
using testing::table_of;

const LabelScheme kScheme{.names = {"negative", "positive"}};

ExampleSet read(const Table& table, const LabelSource& labels,
                std::int64_t max_examples = kAllExamples) {
  return read_examples(table, choose_columns(table, {}, labels.need), labels, max_examples);
}

TEST(ReadExamples, KeepsTextsLinesAndLabels) {
  const Table table =
      table_of("text,label\n\"a\nb\",positive\n,0\n c ,negative\n", TableFormat::kCsv);
  const ExampleSet set = read(table, {.scheme = &kScheme});
  EXPECT_EQ(set.source, "standard input");
  ASSERT_EQ(set.examples.size(), 3);
  EXPECT_EQ(set.examples[0].text, "a\nb");
  EXPECT_EQ(set.examples[0].pair, std::nullopt);
  EXPECT_EQ(set.examples[0].label, 1);
  EXPECT_EQ(set.examples[1].line, 4);
  EXPECT_EQ(set.examples[1].label, 0);
  EXPECT_EQ(set.examples[2].text, " c ");
  EXPECT_EQ(set.empty_texts, 1);
}

TEST(ReadExamples, StopsAfterTheFirstSamples) {
  const Table table = table_of("text\tlabel\na\tpositive\nb\tnegative\nc\tunknown\n");
  EXPECT_EQ(read(table, {.scheme = &kScheme}, 2).examples.size(), 2);
  EXPECT_EQ(read(table, {}, 100).examples.size(), 3);
}

TEST(ReadExamples, LeavesLabelsAloneWithoutAScheme) {
  const ExampleSet set = read(table_of("text\tlabel\na\twhatever\n"), {});
  EXPECT_TRUE(std::isnan(set.examples[0].label));
}

TEST(ReadExamples, MayLackLabelsWhereTheyAreNotNeeded) {
  const LabelSource labels{.scheme = &kScheme, .need = LabelNeed::kIfPresent};
  EXPECT_TRUE(std::isnan(read(table_of("text\na\n"), labels).examples[0].label));
  const ExampleSet set = read(table_of("text\tlabel\na\t\nb\t-1\nc\tpositive\n"), labels);
  EXPECT_TRUE(std::isnan(set.examples[0].label));
  EXPECT_TRUE(std::isnan(set.examples[1].label));
  EXPECT_EQ(set.examples[2].label, 1);
  const LabelScheme signs{.names = {"-1", "1"}};
  EXPECT_EQ(
      read(table_of("text\tlabel\na\t-1\n"), {.scheme = &signs, .need = LabelNeed::kIfPresent})
          .examples[0]
          .label,
      0);
}

TEST(ReadExamples, MinusOneHidesAValueWhereAllAreHidden) {
  const LabelScheme scheme{.kind = ProblemKind::kRegression, .names = {}};
  const LabelSource labels{.scheme = &scheme, .need = LabelNeed::kIfPresent};
  const ExampleSet hidden = read(table_of("text\tlabel\na\t-1.0\nb\t-1\n"), labels);
  EXPECT_TRUE(std::isnan(hidden.examples[0].label));
  EXPECT_TRUE(std::isnan(hidden.examples[1].label));
  EXPECT_EQ(read(table_of("text\tlabel\na\t-1.0\nb\t2\n"), labels).examples[0].label, -1);
}

TEST(ReadExamples, NamesALabelThatTrainingLacks) {
  const Table table = table_of("text\tlabel\na\tpositive\nb\tneutral\n");
  const auto failed =
      failure_of([&] { read(table, {.scheme = &kScheme, .known_to = "train.tsv"}); });
  EXPECT_EQ(failed.code, ExitCode::kData);
  EXPECT_EQ(
      failed.message,
      "standard input:3: the label \"neutral\" is not one that train.tsv knows: \"negative\", "
      "\"positive\"");
}

TEST(ReadExamples, NeedsALabelColumnWhereLabelsAreRequired) {
  const Table table = table_of("text\na\n");
  const ColumnChoice columns = choose_columns(table, {}, LabelNeed::kIfPresent);
  EXPECT_EQ(failure_of([&] { read_examples(table, columns, {.scheme = &kScheme}); }).message,
            "standard input: has no label column (columns: \"text\")");
}

TEST(ReadExamples, ReadsNumbersOfJsonAsTextsAndRefusesNull) {
  const Table table = table_of("{\"text\": \"a\", \"x\": 5}\n{\"text\": null, \"x\": 6}\n",
                               TableFormat::kJsonLines);
  const ColumnChoice numbers{.text = 1, .pair = {}, .label = {}, .notes = {}};
  EXPECT_EQ(read_examples(table, numbers, {}).examples[1].text, "6");
  const ColumnChoice texts{.text = 0, .pair = {}, .label = {}, .notes = {}};
  EXPECT_EQ(failure_of([&] { read_examples(table, texts, {}); }).message,
            "standard input:2: column \"text\": expected a text, found null");
}

}  // namespace
}  // namespace tandem
