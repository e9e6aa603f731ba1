#include "data/tsv.h"

#include <sstream>

#include <gtest/gtest.h>

#include "support/error_message.h"
#include "table_text.h"

namespace tandem {
namespace {

using testing::failure_of;
using testing::table_of;

std::string failure(const std::string& text, TableFormat format = TableFormat::kTsv) {
  const auto found = failure_of([&] { table_of(text, format); });
  EXPECT_EQ(found.code, ExitCode::kData) << found.message;
  return found.message;
}

TEST(Tsv, ReadsQuotesAsOrdinaryCharacters) {
  const Table table = table_of("sentence\tlabel\nshe said \"no\t1\n\"quoted\"\t0\n");
  ASSERT_EQ(table.rows(), 2);
  EXPECT_EQ(table.cell(0, 0), "she said \"no");
  EXPECT_EQ(table.cell(1, 0), "\"quoted\"");
  EXPECT_EQ(table.cell(1, 1), "0");
  EXPECT_EQ(table.line(1), 3);
  EXPECT_EQ(table.where(1), "standard input:3");
  EXPECT_EQ(table.kind(1, 1), CellKind::kText);
}

TEST(Tsv, ReadsByteOrderMarkCrlfAndAMissingLastLineEnd) {
  const Table table = table_of("\xEF\xBB\xBFsentence\tlabel\r\na\t1\r\n\r\nb\t0");
  EXPECT_EQ(table.columns(), (std::vector<std::string>{"sentence", "label"}));
  ASSERT_EQ(table.rows(), 2);
  EXPECT_EQ(table.cell(0, 1), "1");
  EXPECT_EQ(table.line(1), 4);
}

TEST(Tsv, TrimsTheHeaderAndNamesUnnamedColumns) {
  const Table table = table_of("\t sentence\tlabel \n0\t a \t1\n");
  EXPECT_EQ(table.columns(), (std::vector<std::string>{"unnamed 1", "sentence", "label"}));
  EXPECT_EQ(table.cell(0, 1), " a ");
  EXPECT_EQ(table.find("label"), 2);
  EXPECT_EQ(table.find("Label"), std::nullopt);
}

TEST(Tsv, KeepsBlankLinesOfASingleColumn) {
  const Table table = table_of("sentence\na\n\nb\n");
  ASSERT_EQ(table.rows(), 3);
  EXPECT_EQ(table.cell(1, 0), "");
}

TEST(Tsv, ReadsALineOfAMegabyte) {
  const std::string megabyte(std::size_t{1} << 20, 'x');
  const Table table = table_of("sentence\tlabel\n" + megabyte + "\t1\na\t0\n");
  ASSERT_EQ(table.rows(), 2);
  EXPECT_EQ(table.cell(0, 0), megabyte);
}

TEST(Tsv, NamesTheLineOfARowWithTooFewOrTooManyFields) {
  EXPECT_EQ(failure("a\tb\tlabel\n1\t2\t3\n1\t2\n"),
            "standard input:3: expected 3 tab-separated fields as in the header (\"a\", \"b\", "
            "\"label\"), found 2");
  EXPECT_EQ(failure("a\tb\n1\t2\t3\n"),
            "standard input:2: expected 2 tab-separated fields as in the header (\"a\", \"b\"), "
            "found 3");
}

TEST(Tsv, SkipsAndCountsBrokenRowsWhereItIsTold) {
  std::istringstream stream("a\tb\n1\t2\nbroken\n3\t4\t5\n6\t7\n");
  LineReader lines(stream, "qqp");
  const Table table = read_tsv(lines, {.broken_rows = BrokenRows::kSkip});
  EXPECT_EQ(table.rows(), 2);
  EXPECT_EQ(table.skipped_rows, 2);
  EXPECT_EQ(table.line(1), 5);
}

TEST(Tsv, ReadsAFileWithoutAHeader) {
  const TsvOptions options{.names_without_header = {"source", "label"}};
  std::istringstream without("gj04\t1\ngj05\t0\n");
  LineReader lines(without, "cola");
  const Table table = read_tsv(lines, options);
  EXPECT_EQ(table.columns(), options.names_without_header);
  ASSERT_EQ(table.rows(), 2);
  EXPECT_EQ(table.line(0), 1);
  std::istringstream with("idx\tlabel\n1\t0\n");
  LineReader more(with, "cola");
  EXPECT_EQ(read_tsv(more, options).columns(), (std::vector<std::string>{"idx", "label"}));
}

TEST(Tsv, RefusesEmptyFilesAndHeadersAlone) {
  EXPECT_EQ(failure(""),
            "standard input: the file is empty; expected a table with the names of its "
            "columns in the first line");
  EXPECT_EQ(failure("\xEF\xBB\xBF"), failure(""));
  EXPECT_EQ(failure("sentence\tlabel\n"),
            "standard input: has a header (\"sentence\", \"label\") but no rows");
}

TEST(Tsv, RefusesTwoColumnsOfOneName) {
  EXPECT_EQ(failure("a\tlabel\ta \n1\t2\t3\n"),
            "standard input:1: two columns have the name \"a\", number 1 and number 3; rename one");
}

TEST(Tsv, RecognisesAnotherSeparatorAndLoneCarriageReturns) {
  EXPECT_NE(failure("sentence,label\na,1\n")
                .find("expected columns separated by tabs, found the "
                      "header \"sentence,label\""),
            std::string::npos);
  EXPECT_EQ(failure("sentence\tlabel\ra\t1\r"),
            "standard input:1: lines end with a lone CR; convert them: tr '\\r' '\\n'");
}

TEST(TextLines, AreTextsOrPairsWithoutAHeader) {
  const Table texts = table_of("good film\n\nbad film\n", TableFormat::kTextLines);
  EXPECT_EQ(texts.columns(), std::vector<std::string>{"text"});
  ASSERT_EQ(texts.rows(), 3);
  EXPECT_EQ(texts.cell(0, 0), "good film");
  EXPECT_EQ(texts.cell(1, 0), "");
  EXPECT_EQ(texts.line(2), 3);
  const Table pairs = table_of("a\tb\nc\td", TableFormat::kTextLines);
  EXPECT_EQ(pairs.columns(), (std::vector<std::string>{"text", "pair"}));
  EXPECT_EQ(pairs.cell(1, 1), "d");
  EXPECT_NE(failure("a\nb\tc\n", TableFormat::kTextLines).find("standard input:2: expected 1"),
            std::string::npos);
}

}  // namespace
}  // namespace tandem
