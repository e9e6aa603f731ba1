#include "data/data_check.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "data/table_files.h"
#include "support/temporary_directory.h"

namespace tandem {
namespace {

using Lines = std::vector<std::int64_t>;

// A table as `tandem data check` reads it. Each test's tables have names of their own.
Table read(const testing::TemporaryDirectory& directory, const std::string& name,
           const std::string& text) {
  return read_table(directory.write(name, text), FaultPolicy::kCollect);
}

// "severity kind lines", for each finding.
std::vector<std::string> summary(const DataCheck& check) {
  std::vector<std::string> all;
  for (const DataFinding& finding : check.findings) {
    std::string line = finding.severity == FindingSeverity::kError ? "error " : "warning ";
    line += finding.kind;
    for (const std::int64_t number : finding.lines) line += fmt::format(" {}", number);
    all.push_back(line);
  }
  return all;
}

class CheckData : public ::testing::Test {
 protected:
  DataCheck check(const std::string& training, const std::string& validation = {},
                  const std::string& extension = ".tsv", const DataCheckOptions& options = {}) {
    std::vector<Table> tables;
    tables.push_back(read(directory_, "train" + extension, training));
    if (!validation.empty()) {
      tables.push_back(read(directory_, "validation" + extension, validation));
    }
    return check_data(tables, options);
  }
  using Summary = std::vector<std::string>;

  testing::TemporaryDirectory directory_;
};

const std::string kHeader = "text\tlabel\n";
const std::string kGood = "a\tx\nb\tx\nc\ty\nd\ty\n";

TEST_F(CheckData, FindsNothingInGoodRowsAndSaysWhatTheyAre) {
  const DataCheck found = check(kHeader + kGood);
  EXPECT_EQ(summary(found), Summary{});
  ASSERT_EQ(found.facts.size(), 2U);
  EXPECT_NE(found.facts[0].find("train.tsv: 4 rows, text: column \"text\" (1 of 2)"),
            std::string::npos);
  EXPECT_NE(found.facts[1].find("single label, 2 labels: \"x\" 2, \"y\" 2"), std::string::npos);
}

TEST_F(CheckData, ListsEveryRowThatCannotBeRead) {
  const DataCheck found = check(kHeader + "a\tx\ncaf\xE9\tx\none field\nb\tx\nc\td\te\tf\n" +
                                std::string("n\0l\ty\n", 6) + "q\ty\nr\ty\n");
  EXPECT_EQ(summary(found), (Summary{"error row 3", "error row 4", "error row 6", "error row 7"}));
  EXPECT_TRUE(found.findings[0].message.starts_with("byte 4 of the line is 0xE9, which is not"));
  EXPECT_TRUE(found.findings[1].message.starts_with("expected 2 tab-separated fields"));
}

TEST_F(CheckData, ListsBadRowsOfCsvAndJsonLines) {
  EXPECT_EQ(summary(check("text,label\na,x\n\"b\" c,x\nb,x,1\nc,y\nd,y\ne,x\n", "", ".csv")),
            (Summary{"error row 3", "error row 4"}));
  EXPECT_EQ(
      summary(check("{\"text\": \"a\", \"label\": \"x\"}\n{oops}\n{\"text\": \"b\"}\n"
                    "{\"text\": \"b\", \"label\": \"x\"}\n{\"text\": null, \"label\": \"y\"}\n"
                    "{\"text\": \"c\", \"label\": {}}\n{\"text\": \"c\", \"label\": \"y\"}\n"
                    "{\"text\": \"d\", \"label\": \"y\"}\n",
                    "", ".jsonl")),
      (Summary{"error row 2", "error row 3", "error text 5", "error label 6"}));
}

TEST_F(CheckData, FindsLabelsThatAreMissingOrOne) {
  EXPECT_EQ(summary(check(kHeader + "a\tx\nb\t\nc\t \n")),
            (Summary{"error label 3 4", "error labels"}));
  const DataCheck one = check(kHeader + "a\tx\nb\tx\n");
  EXPECT_EQ(summary(one), Summary{"error labels"});
  EXPECT_TRUE(one.findings[0].message.starts_with("every row has the label \"x\""));
  EXPECT_EQ(summary(check("text\tnote\na\tb\n")), Summary{"error columns"});
}

TEST_F(CheckData, FindsTextAmongNumbersAndNumbersThatMayBeMeantOtherwise) {
  EXPECT_EQ(summary(check(kHeader + "a\t1.5\nb\tgood\nc\t2\nd\tbad\n")),
            (Summary{"error label 3 5", "warning numbers"}));
  std::string classes = kHeader;
  for (int i = 0; i < 24; ++i) {
    classes += fmt::format("text {}\t{}\n", i, i % 12);
  }
  EXPECT_EQ(summary(check(classes)), Summary{"warning numbers"});
  EXPECT_EQ(summary(check(kHeader + "a\t1\nb\tmany\n", "", ".tsv",
                          {.reading = LabelReading::kRegression})),
            (Summary{"error label 3", "error labels"}));
}

TEST_F(CheckData, FindsRepeatedRowsWithinAndAcrossSplits) {
  const DataCheck found = check(kHeader + kGood + "a\tx\nb\ty\n", kHeader + "e\tx\nc\ty\nd \ty\n");
  EXPECT_EQ(summary(found), (Summary{
                                "warning contradiction 7",
                                "warning duplicate 6",
                                "warning leak 3 4",
                            }));
  EXPECT_EQ(found.findings[1].other_lines, Lines{2});
  EXPECT_EQ(found.findings[2].other_lines, (Lines{4, 5}));
  EXPECT_TRUE(found.findings[2].other_source.ends_with("train.tsv"));
}

TEST_F(CheckData, FindsLabelsThatTrainingLacksAndThatValidationLacks) {
  const DataCheck found = check(kHeader + kGood, kHeader + "e\tX\nf\tz\ng\tx\nh\tz\n");
  EXPECT_EQ(summary(found),
            (Summary{"error unknown-label 2", "error unknown-label 3 5", "warning absent-label"}));
  EXPECT_NE(found.findings[0].message.find("did you mean \"x\"?"), std::string::npos);
}

TEST_F(CheckData, WarnsOfEmptyTextsAndOddLabels) {
  const DataCheck found = check(kHeader + kGood + "\tx\n \ty\ne\tX\n");
  EXPECT_EQ(summary(found),
            (Summary{"warning similar-labels", "warning rare-label 8", "warning empty 6 7"}));
}

TEST_F(CheckData, ReadsSeveralLabelsAtOnce) {
  DataCheckOptions options;
  options.separator = ",";
  EXPECT_EQ(summary(check(kHeader + "a\tx,y\nb\t\nc\tx\nd\ty\n", kHeader + "e\tz,x\nf\ty\ng\tx\n",
                          ".tsv", options)),
            Summary{"error unknown-label 2"});
  EXPECT_EQ(summary(check("{\"text\": \"a\", \"label\": [\"x\", \"y\"]}\n"
                          "{\"text\": \"b\", \"label\": [\"x\", \"y\"]}\n"
                          "{\"text\": \"c\", \"label\": [[]]}\n",
                          "", ".jsonl")),
            Summary{"error label 3"});
}

TEST_F(CheckData, FindsTextsThatWouldBeCut) {
  directory_.write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\n");
  directory_.write("tokenizer_config.json", "{\"tokenizer_class\": \"BertTokenizer\"}");
  const Tokenizer tokenizer = Tokenizer::load(directory_.path());
  DataCheckOptions options;
  options.tokenizer = &tokenizer;
  options.max_tokens = 5;
  const DataCheck found =
      check(kHeader + "a b a\tx\na b a b\ty\nb\tx\nb b b b\ty\n", "", ".tsv", options);
  EXPECT_EQ(summary(found), Summary{"warning cut 3 5"});
}

}  // namespace
}  // namespace tandem
