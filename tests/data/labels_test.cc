#include "data/labels.h"

#include <cmath>

#include <gtest/gtest.h>

#include "data/number.h"
#include "support/error_message.h"
#include "table_text.h"

namespace tandem {
namespace {

using testing::failure_of;
using testing::table_of;

using Names = std::vector<std::string>;

// A column "label" of these cells, beside a column of texts.
Table labelled(const std::vector<std::string>& labels) {
  std::string text = "text\tlabel\n";
  for (const std::string& label : labels) text += "a\t" + label + "\n";
  return table_of(text);
}

InferredLabels infer(const std::vector<std::string>& labels,
                     LabelReading reading = LabelReading::kInfer) {
  return infer_labels(labelled(labels), 1, reading);
}

std::string failure(const std::vector<std::string>& labels,
                    LabelReading reading = LabelReading::kInfer) {
  const auto found = failure_of([&] { infer(labels, reading); });
  EXPECT_EQ(found.code, ExitCode::kData) << found.message;
  return found.message;
}

TEST(Labels, AreSortedNames) {
  const InferredLabels labels = infer({"pos", "neg", " pos ", "\xC3\xA9", "Neutral"});
  EXPECT_EQ(labels.scheme.kind, ProblemKind::kSingleLabel);
  EXPECT_EQ(labels.scheme.names, (Names{"Neutral", "neg", "pos", "\xC3\xA9"}));
  EXPECT_TRUE(labels.notes.empty());
}

TEST(Labels, ThatAreWholeNumbersAreSortedAsNumbers) {
  EXPECT_EQ(infer({"10", "9", "-1", "09"}).scheme.names, (Names{"-1", "9", "10"}));
  EXPECT_EQ(infer({"10", "9", "n/a"}).scheme.names, (Names{"10", "9", "n/a"}));
}

TEST(Labels, WithDecimalsAreRegression) {
  const InferredLabels labels = infer({"3", "2.5", "1e-1"});
  EXPECT_EQ(labels.scheme.kind, ProblemKind::kRegression);
  EXPECT_EQ(labels.scheme.outputs(), 1);
  ASSERT_EQ(labels.notes.size(), 1);
  EXPECT_EQ(
      labels.notes[0],
      "line 3 has the label \"2.5\", a number with decimals: this is taken for regression; if "
      "the labels are classes, write them as whole numbers or names");
}

TEST(Labels, WithDecimalsAreRegressionEvenAsTextsOfJson) {
  const Table table =
      table_of("{\"label\": \"3.5\"}\n{\"label\": \"1.0\"}\n", TableFormat::kJsonLines);
  EXPECT_EQ(infer_labels(table, 0, LabelReading::kInfer).scheme.kind, ProblemKind::kRegression);
}

TEST(Labels, OfJsonMayBeBooleans) {
  const Table table = table_of("{\"label\": true}\n{\"label\": false}\n", TableFormat::kJsonLines);
  EXPECT_EQ(infer_labels(table, 0, LabelReading::kInfer).scheme.names, (Names{"false", "true"}));
}

TEST(Labels, AreRegressionWhenToldSo) {
  const InferredLabels labels = infer({"1", "2"}, LabelReading::kRegression);
  EXPECT_EQ(labels.scheme.kind, ProblemKind::kRegression);
  EXPECT_TRUE(labels.notes.empty());
  EXPECT_EQ(failure({"1", "many"}, LabelReading::kRegression),
            "standard input:3: column \"label\" is read as regression; expected a number, found "
            "\"many\"");
}

TEST(Labels, RefuseASingleOne) {
  EXPECT_EQ(failure({"1", "1", "01"}),
            "standard input: every row has the label \"1\" in column \"label\"; expected at least "
            "two different ones (--label-column names another column)");
  EXPECT_NE(failure({"x", "x"}).find("every row has the label \"x\""), std::string::npos);
  EXPECT_NE(failure({"0.5", "0.5"}).find("every row has the label \"0.5\""), std::string::npos);
}

TEST(Labels, RefuseEmptyOnes) {
  EXPECT_EQ(failure({"1", " ", "0"}),
            "standard input:3: the label in column \"label\" is empty; give it one or remove the "
            "row");
  const Table null = table_of("{\"label\": 1}\n{\"label\": null}\n", TableFormat::kJsonLines);
  EXPECT_NE(failure_of([&] {
              infer_labels(null, 0, LabelReading::kInfer);
            }).message.find(":2: the label in column \"label\" is empty"),
            std::string::npos);
}

TEST(Labels, RefuseTextAmongDecimals) {
  EXPECT_EQ(failure({"1.5", "nan", "2"}),
            "standard input:3: column \"label\" is read as numbers (line 2 has 1.5); expected a "
            "number, found \"nan\"");
}

TEST(Labels, RefuseListsForRegressionAndMoreThanAThousand) {
  const Table list = table_of("{\"label\": [1, 2]}\n", TableFormat::kJsonLines);
  EXPECT_EQ(failure_of([&] { infer_labels(list, 0, LabelReading::kRegression); }).message,
            "standard input:1: column \"label\" holds \"[1,2]\"; expected one label, a text or a "
            "number");
  Names many;
  for (std::size_t i = 0; i <= kMostLabels; ++i) many.push_back(std::to_string(i));
  EXPECT_EQ(failure(many),
            "standard input:1002: column \"label\" has more than 1000 different labels by this "
            "line; if they are numbers to predict use --do-regression, otherwise name the label "
            "column with --label-column");
}

TEST(LabelMap, FindsByNameFirstAndByIdElse) {
  const LabelMap names({.names = {"negative", "positive"}}, "the model");
  EXPECT_EQ(names.find("positive"), 1);
  EXPECT_EQ(names.find(" negative "), 0);
  EXPECT_EQ(names.find("1"), 1);
  EXPECT_EQ(names.find("2"), std::nullopt);
  EXPECT_EQ(names.find("-1"), std::nullopt);
  EXPECT_EQ(names.find("Positive"), std::nullopt);
  // The order of another training run: "entailment" is 2 there, whatever id it had elsewhere.
  const LabelMap order({.names = {"contradiction", "neutral", "entailment"}}, "the model");
  EXPECT_EQ(order.find("entailment"), 2);
}

TEST(LabelMap, TakesWholeNumbersForNamesWhereNamesAreSuch) {
  const LabelMap stars({.names = {"1", "2", "3"}}, "train.tsv");
  EXPECT_EQ(stars.find("1"), 0);
  EXPECT_EQ(stars.find("03"), 2);
  EXPECT_EQ(stars.find("0"), std::nullopt);
}

TEST(LabelMap, NamesAnUnknownLabelAndTheKnownOnes) {
  const LabelMap map({.names = {"negative", "neutral", "positive"}}, "train.tsv");
  const Table table = labelled({"neutral", "neutrl"});
  EXPECT_EQ(map.at(table, 0, 1), 1);
  const auto failed = failure_of([&] { map.at(table, 1, 1); });
  EXPECT_EQ(failed.code, ExitCode::kData);
  EXPECT_EQ(failed.message,
            "standard input:3: the label \"neutrl\" is not one that train.tsv knows: \"negative\", "
            "\"neutral\", \"positive\"; did you mean \"neutral\"?");
}

TEST(LabelMap, ReadsNumbersForRegression) {
  const LabelMap map({.kind = ProblemKind::kRegression}, "train.tsv");
  EXPECT_EQ(map.find("2.5"), 2.5F);
  EXPECT_EQ(map.find("-1"), -1.0F);
  EXPECT_EQ(map.find("inf"), std::nullopt);
  EXPECT_EQ(map.find("1e300"), std::nullopt);
  const Table table = labelled({"good"});
  EXPECT_EQ(failure_of([&] { map.at(table, 0, 1); }).message,
            "standard input:2: column \"label\": expected a number, found \"good\"");
}

TEST(Labels, AreCountedAndDescribed) {
  ExampleSet set;
  for (const float label : {1.0F, 0.0F, 1.0F, NAN}) {
    set.examples.push_back({.text = "a", .pair = {}, .label = label, .line = 2});
  }
  const LabelScheme scheme{.names = {"no", "yes"}};
  EXPECT_EQ(count_labels(set, scheme), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(describe_labels(set, scheme), "single label, 2 labels: \"no\" 1, \"yes\" 2");
  EXPECT_EQ(describe_labels(set, {.kind = ProblemKind::kRegression}),
            "regression, 3 values from 0 to 1");
}

TEST(Number, IsTheWholeOfAText) {
  EXPECT_EQ(parse_number("-1.5e2"), -150);
  EXPECT_EQ(parse_number("+3"), 3);
  EXPECT_EQ(parse_whole_number("+007"), 7);
  for (const char* text : {"", "+", "+-1", "1,5", "1 ", "0x10", "nan", "inf", "1e999", "1.5.2"}) {
    EXPECT_EQ(parse_number(text), std::nullopt) << text;
    EXPECT_EQ(parse_whole_number(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_whole_number("1.0"), std::nullopt);
}

}  // namespace
}  // namespace tandem
