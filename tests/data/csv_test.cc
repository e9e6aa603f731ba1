#include "data/csv.h"

#include <gtest/gtest.h>

#include "support/error_message.h"
#include "support/temporary_directory.h"
#include "table_text.h"

namespace tandem {
namespace {

using testing::failure_of;
using testing::table_of;
using testing::TemporaryDirectory;

Table csv(const std::string& text) { return table_of(text, TableFormat::kCsv); }

std::string failure(const std::string& text) {
  const auto found = failure_of([&] { csv(text); });
  EXPECT_EQ(found.code, ExitCode::kData) << found.message;
  return found.message;
}

TEST(Csv, ReadsQuotedFields) {
  const Table table =
      csv("text,label\n"
          "\"a, b\",1\n"
          "\"she said \"\"no\"\"\",0\n"
          "\"\",1\n"
          "5\" disk,\"0\"\n");
  ASSERT_EQ(table.rows(), 4);
  EXPECT_EQ(table.cell(0, 0), "a, b");
  EXPECT_EQ(table.cell(1, 0), "she said \"no\"");
  EXPECT_EQ(table.cell(2, 0), "");
  EXPECT_EQ(table.cell(3, 0), "5\" disk");
  EXPECT_EQ(table.cell(3, 1), "0");
}

TEST(Csv, ReadsLineEndsInsideQuotesAndCountsLines) {
  const Table table = csv("text,label\r\n\"one\r\ntwo\n\nthree\",1\r\n\r\nfour,0\r\n");
  ASSERT_EQ(table.rows(), 2);
  EXPECT_EQ(table.cell(0, 0), "one\r\ntwo\n\nthree");
  EXPECT_EQ(table.line(0), 2);
  EXPECT_EQ(table.cell(1, 0), "four");
  EXPECT_EQ(table.line(1), 7);
}

TEST(Csv, ReadsByteOrderMarkAndEmptyFields) {
  const Table table = csv("\xEF\xBB\xBF\"text\",note,label\na,,\n,,x");
  EXPECT_EQ(table.columns(), (std::vector<std::string>{"text", "note", "label"}));
  ASSERT_EQ(table.rows(), 2);
  EXPECT_EQ(table.cell(0, 1), "");
  EXPECT_EQ(table.cell(0, 2), "");
  EXPECT_EQ(table.cell(1, 2), "x");
}

TEST(Csv, ReadsAFieldOfAMegabyteOverManyLines) {
  std::string field;
  while (field.size() < (std::size_t{1} << 20)) field += "a line of it\n";
  const Table table = csv("text,label\n\"" + field + "\",1\n");
  ASSERT_EQ(table.rows(), 1);
  EXPECT_EQ(table.cell(0, 0), field);
}

TEST(Csv, NamesTheLineWhereAQuoteWasOpenedThatIsNeverClosed) {
  EXPECT_EQ(failure("text,label\na,1\n\"b,0\nc,1\nd,0\n"),
            "standard input:3: the quote that opens field 1 is not closed by line 5; a quote "
            "inside a quoted field is written twice (\"\")");
}

TEST(Csv, NamesWhatFollowsAClosingQuote) {
  EXPECT_EQ(failure("text,label\n\"she said \"no\"\",1\n"),
            "standard input:2: field 1: found \"no\"\",1\" after the closing quote; a quote inside "
            "a quoted field is written twice (\"\")");
}

TEST(Csv, NamesTheLineWhereABrokenRowStarts) {
  EXPECT_EQ(failure("text,label\n\"a\nb\"\n"),
            "standard input:2: expected 2 comma-separated fields as in the header (\"text\", "
            "\"label\"), found 1");
  EXPECT_NE(failure("text,label\na, b,1\n").find(":2: expected 2 comma-separated fields"),
            std::string::npos);
}

TEST(Csv, RefusesSemicolonsEmptyFilesAndHeadersAlone) {
  EXPECT_NE(failure("text;label\na;1\n")
                .find("expected columns separated by commas, found the "
                      "header \"text;label\""),
            std::string::npos);
  EXPECT_NE(failure("").find("the file is empty"), std::string::npos);
  EXPECT_NE(failure("text,label\n").find("has a header (\"text\", \"label\") but no rows"),
            std::string::npos);
}

TEST(TableFiles, AreReadByTheirExtension) {
  const TemporaryDirectory directory;
  EXPECT_EQ(read_table(directory.write("a.CSV", "x,y\n1,2\n")).columns().size(), 2);
  EXPECT_EQ(read_table(directory.write("a.tsv", "x\ty\n1\t2\n")).columns().size(), 2);
  EXPECT_EQ(read_table(directory.write("a.json", "{\"x\": 1, \"y\": 2}\n")).columns().size(), 2);
  EXPECT_EQ(read_table(directory.write("a.jsonl", "{\"x\": 1}\n")).rows(), 1);
  EXPECT_EQ(read_table(directory.write("a.txt", "one\ntwo\n")).rows(), 2);
  const auto failure = failure_of([] { read_table("reviews.xlsx"); });
  EXPECT_EQ(failure.code, ExitCode::kData);
  EXPECT_EQ(
      failure.message,
      "reviews.xlsx: the extension \".xlsx\" says nothing of the format; expected .tsv, .csv, "
      ".json or .jsonl (JSON Lines), or .txt (a text on each line), packed with gzip (.gz) or not");
}

}  // namespace
}  // namespace tandem
