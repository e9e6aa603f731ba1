#include "data/label_lists.h"

#include <cmath>

#include <gtest/gtest.h>

#include "data/labels.h"
#include "data/read_examples.h"
#include "support/error_message.h"
#include "table_text.h"

namespace tandem {
namespace {

using testing::failure_of;
using testing::table_of;
using Names = std::vector<std::string>;

Table json(const std::string& labels) {
  return table_of("{\"text\": \"a\", \"label\": " + labels + "}\n", TableFormat::kJsonLines);
}

TEST(LabelLists, OfJsonAreTheirElements) {
  EXPECT_EQ(labels_in_cell(json(R"([" art", "food ", "art"])"), 0, 1, ""), (Names{"art", "food"}));
  EXPECT_EQ(labels_in_cell(json("[3, true, -1]"), 0, 1, ""), (Names{"3", "true", "-1"}));
  EXPECT_EQ(labels_in_cell(json("[]"), 0, 1, ""), Names{});
  EXPECT_EQ(labels_in_cell(json("\"art\""), 0, 1, ""), Names{"art"});
  for (const char* bad : {"[[\"art\"]]", "[null]", "[\"\"]", "[{}]"}) {
    const auto failed = failure_of([&] { labels_in_cell(json(bad), 0, 1, ""); });
    EXPECT_EQ(failed.code, ExitCode::kData) << bad;
    EXPECT_NE(failed.message.find(":1: column \"label\": expected a list of labels"),
              std::string::npos)
        << failed.message;
  }
  EXPECT_EQ(failure_of([] { labels_in_cell(json("null"), 0, 1, ""); }).message,
            "standard input:1: column \"label\": expected a list of labels, found null; a row "
            "without any has []");
}

TEST(LabelLists, OfTextsStandBetweenSeparators) {
  const Table table = table_of("text\tlabel\na\tart | food|art|\nb\t\n");
  EXPECT_EQ(labels_in_cell(table, 0, 1, "|"), (Names{"art", "food"}));
  EXPECT_EQ(labels_in_cell(table, 1, 1, "|"), Names{});
  EXPECT_EQ(labels_in_cell(table, 0, 1, ""), Names{"art | food|art|"});
}

TEST(LabelLists, MakeAProblemOfSeveralLabelsAtOnce) {
  const Table table = table_of(
      "{\"label\": [\"b\", \"a\"], \"text\": \"x\"}\n{\"label\": [], \"text\": \"y\"}\n"
      "{\"label\": [\"c\"], \"text\": \"z\"}\n",
      TableFormat::kJsonLines);
  const InferredLabels labels = infer_labels(table, 0, LabelReading::kInfer);
  EXPECT_EQ(labels.scheme.kind, ProblemKind::kMultiLabel);
  EXPECT_EQ(labels.scheme.names, (Names{"a", "b", "c"}));
  EXPECT_EQ(labels.scheme.outputs(), 3);
  const ExampleSet set = read_examples(table, choose_columns(table, {}, LabelNeed::kRequired),
                                       {.scheme = &labels.scheme});
  EXPECT_EQ(set.label_columns, 3);
  EXPECT_EQ(set.examples[0].labels, (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(set.examples[1].labels, std::vector<std::int32_t>{});
  EXPECT_EQ(set.examples[1].label, 0);
  EXPECT_EQ(count_labels(set, labels.scheme), (std::vector<std::int64_t>{1, 1, 1}));
  EXPECT_EQ(describe_labels(set, labels.scheme),
            "several labels at once, 3 labels: \"a\" 1, \"b\" 1, \"c\" 1; 1 rows have none");
}

TEST(LabelLists, OfWholeNumbersAreInNumericalOrder) {
  const Table table = table_of("text\tlabel\na\t10,9\nb\t-1\n");
  const InferredLabels labels = infer_labels(table, 1, LabelReading::kInfer, ",");
  EXPECT_EQ(labels.scheme.names, (Names{"-1", "9", "10"}));
}

TEST(LabelLists, NeedTwoLabelsAndKnowOnlyThoseOfTraining) {
  EXPECT_EQ(failure_of([] { infer_labels(json("[\"art\"]"), 1, LabelReading::kInfer); }).message,
            "standard input: column \"label\" has only the label art in all of its rows; several "
            "labels at once need at least two different ones");
  const LabelScheme scheme{.kind = ProblemKind::kMultiLabel, .names = {"art", "food"}};
  const LabelMap map(scheme, "train.tsv");
  EXPECT_EQ(map.all_at(json("[\"food\", \"art\"]"), 0, 1, ""), (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(failure_of([&] { map.all_at(json("[\"art\", \"foot\"]"), 0, 1, ""); }).message,
            "standard input:1: the label \"foot\" is not one that train.tsv knows: \"art\", "
            "\"food\"; did you mean \"food\"?");
}

TEST(LabelLists, MayLackWherePredicted) {
  const LabelScheme scheme{.kind = ProblemKind::kMultiLabel, .names = {"art", "food"}};
  const Table table = json("null");
  const ExampleSet set = read_examples(table, choose_columns(table, {}, LabelNeed::kIfPresent),
                                       {.scheme = &scheme, .need = LabelNeed::kIfPresent});
  EXPECT_TRUE(std::isnan(set.examples[0].label));
}

}  // namespace
}  // namespace tandem
