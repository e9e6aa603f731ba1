#include "data/columns.h"

#include <gtest/gtest.h>

#include "support/error_message.h"
#include "table_text.h"

namespace tandem {
namespace {

using testing::failure_of;
using testing::table_of;

// `header` and one row, with spaces for tabs.
Table row_under(std::string header, std::string row) {
  std::string text = header + "\n" + row + "\n";
  for (char& c : text) c = c == ' ' ? '\t' : c;
  return table_of(text);
}

std::string found(const Table& table, const ColumnNames& names = {},
                  LabelNeed need = LabelNeed::kRequired) {
  return describe_columns(table, choose_columns(table, names, need));
}

std::string failure(const Table& table, const ColumnNames& names = {},
                    LabelNeed need = LabelNeed::kRequired) {
  const auto failed = failure_of([&] { choose_columns(table, names, need); });
  EXPECT_EQ(failed.code, ExitCode::kData) << failed.message;
  return failed.message;
}

TEST(Columns, AreFoundAsRunGlueFindsThem) {
  EXPECT_EQ(found(row_under("sentence label", "a 1")),
            "text: column \"sentence\" (1 of 2), label: column \"label\" (2 of 2)");
  EXPECT_EQ(found(row_under("topic sentence2 sentence1 label", "x b a 1")),
            "text: column \"sentence1\" (3 of 4), pair: column \"sentence2\" (2 of 4), label: "
            "column \"label\" (4 of 4)");
  EXPECT_EQ(found(row_under("label question answer", "1 a b")),
            "text: column \"question\" (2 of 3), pair: column \"answer\" (3 of 3), label: column "
            "\"label\" (1 of 3)");
}

TEST(Columns, ThatHoldNumbersOrIdsAreNotTexts) {
  for (const char* header : {"idx text label", "ID text label", "votes text label"}) {
    const Table table = row_under(header, "17 a 1");
    const ColumnChoice choice = choose_columns(table, {}, LabelNeed::kRequired);
    EXPECT_EQ(choice.text, 1) << header;
    EXPECT_FALSE(choice.pair) << header;
    ASSERT_EQ(choice.notes.size(), 1);
    EXPECT_EQ(choice.notes[0], "left out: \"" + table.columns()[0] + "\"");
  }
  const Table uuid = row_under("guid text label", "dev-1 a 1");
  EXPECT_EQ(choose_columns(uuid, {}, LabelNeed::kRequired).text, 1);
  const Table pandas = table_of(",text,label\n0,a,1\n", TableFormat::kCsv);
  EXPECT_EQ(choose_columns(pandas, {}, LabelNeed::kRequired).text, 1);
}

TEST(Columns, TakeTheOnlyOneWhateverItHolds) {
  EXPECT_EQ(found(row_under("number label", "12 1")),
            "text: column \"number\" (1 of 2), label: column \"label\" (2 of 2)");
}

TEST(Columns, SayWhichOtherNameWasTakenForTheLabel) {
  const Table table = row_under("text Class score", "a x 1");
  const ColumnChoice choice = choose_columns(table, {}, LabelNeed::kRequired);
  EXPECT_EQ(choice.label, 1);
  ASSERT_EQ(choice.notes.size(), 2);
  EXPECT_EQ(choice.notes[0],
            "no column is called \"label\"; took \"Class\" for the labels (--label-column names "
            "another)");
  EXPECT_EQ(choice.notes[1], "left out: \"score\"");
  const Table both = row_under("text labels label", "a x 1");
  EXPECT_EQ(choose_columns(both, {}, LabelNeed::kRequired).label, 2);
}

TEST(Columns, SayThatTwoTextsWereTakenForAPair) {
  const ColumnChoice choice =
      choose_columns(row_under("review author mood label", "a b c 1"), {}, LabelNeed::kRequired);
  EXPECT_EQ(choice.pair, 1);
  ASSERT_EQ(choice.notes.size(), 2);
  EXPECT_EQ(choice.notes[0],
            "took \"review\" and \"author\" for a pair of texts (--text-column review reads the "
            "first alone)");
  EXPECT_EQ(choice.notes[1], "left out: \"mood\"");
}

TEST(Columns, AreThoseThatWereNamed) {
  const Table table = row_under("label a b c", "1 x y z");
  EXPECT_EQ(found(table, {.text = "b", .label = "c"}),
            "text: column \"b\" (3 of 4), label: column \"c\" (4 of 4)");
  EXPECT_EQ(
      found(table, {.text = "label", .pair = " a ", .label = "b"}),
      "text: column \"label\" (1 of 4), pair: column \"a\" (2 of 4), label: column \"b\" (3 of "
      "4)");
  EXPECT_EQ(
      found(table, {.pair = "a"}),
      "text: column \"b\" (3 of 4), pair: column \"a\" (2 of 4), label: column \"label\" (1 of "
      "4)");
}

TEST(Columns, ThatAreMissingGetASuggestion) {
  const Table table = row_under("sentence mood label", "a b 1");
  EXPECT_EQ(failure(table, {.text = "sentense"}),
            "standard input: --text-column: there is no column \"sentense\" (columns: "
            "\"sentence\", \"mood\", \"label\"); did you mean \"sentence\"?");
  EXPECT_EQ(failure(table, {.label = "zebra"}),
            "standard input: --label-column: there is no column \"zebra\" (columns: \"sentence\", "
            "\"mood\", \"label\")");
  EXPECT_EQ(
      failure(row_under("sentence lable", "a 1")),
      "standard input: there is no column \"label\" (columns: \"sentence\", \"lable\"); name the "
      "one that holds the labels with --label-column; did you mean \"lable\"?");
}

TEST(Columns, CannotServeTwoPurposes) {
  const Table table = row_under("a b label", "x y 1");
  EXPECT_EQ(failure(table, {.text = "label"}),
            "standard input: --text-column and --label-column are the same column \"label\" "
            "(columns: \"a\", \"b\", \"label\")");
  EXPECT_EQ(found(table, {.text = "label"}, LabelNeed::kIfPresent),
            "text: column \"label\" (3 of 3)");
  EXPECT_NE(failure(table, {.text = "a", .pair = "a"})
                .find("--text-column and --pair-column are the same column \"a\""),
            std::string::npos);
  EXPECT_NE(failure(table, {.pair = "b", .label = "b"})
                .find("--pair-column and --label-column are the same column \"b\""),
            std::string::npos);
}

TEST(Columns, NeedAText) {
  EXPECT_EQ(failure(row_under("label", "1")),
            "standard input: no column holds texts beside the label \"label\"; name the one that "
            "does with --text-column (columns: \"label\")");
  EXPECT_NE(failure(row_under("id votes label", "1 2 1")).find("no column holds texts"),
            std::string::npos);
}

TEST(Columns, OfAFileToPredictMayLackALabel) {
  EXPECT_EQ(found(row_under("text", "a"), {}, LabelNeed::kIfPresent),
            "text: column \"text\" (1 of 1)");
  const Table train = row_under("mood review", "good a");
  const ColumnNames names =
      names_of(train, choose_columns(train, {.label = "mood"}, LabelNeed::kRequired));
  EXPECT_EQ(found(row_under("index review", "1 a"), names, LabelNeed::kIfPresent),
            "text: column \"review\" (2 of 2)");
  EXPECT_EQ(failure(row_under("index text", "1 a"), names, LabelNeed::kIfPresent),
            "standard input: there is no column \"review\", the text of standard input (columns: "
            "\"index\", \"text\")");
  EXPECT_NE(failure(row_under("index review", "1 a"), names)
                .find("there is no column \"mood\", the label of standard input"),
            std::string::npos);
  EXPECT_NE(failure(row_under("text", "a"), {.label = "mood"}, LabelNeed::kIfPresent)
                .find("--label-column: there is no column \"mood\""),
            std::string::npos);
}

}  // namespace
}  // namespace tandem
