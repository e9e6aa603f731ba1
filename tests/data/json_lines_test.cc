#include "data/json_lines.h"

#include <gtest/gtest.h>

#include "support/error_message.h"
#include "table_text.h"

namespace tandem {
namespace {

using testing::failure_of;
using testing::table_of;

Table json_lines(const std::string& text) { return table_of(text, TableFormat::kJsonLines); }

std::string failure(const std::string& text) {
  const auto found = failure_of([&] { json_lines(text); });
  EXPECT_EQ(found.code, ExitCode::kData) << found.message;
  return found.message;
}

TEST(JsonLines, KeepTheKindOfEachValue) {
  const Table table = json_lines(
      "{\"text\": \"a\\n\\u00e9\\ud83d\\ude00\", \"label\": 1, \"score\": 3.0, \"ok\": true, "
      "\"tags\": [\"x\", 2], \"meta\": {\"k\": null}, \"none\": null}\n"
      "\n"
      "{\"none\": \"\", \"text\": \"1\", \"label\": \"2\", \"score\": 1e2, \"ok\": false, "
      "\"tags\": [], \"meta\": {}}");
  EXPECT_EQ(table.columns(),
            (std::vector<std::string>{"text", "label", "score", "ok", "tags", "meta", "none"}));
  ASSERT_EQ(table.rows(), 2);
  EXPECT_EQ(table.line(1), 3);
  EXPECT_EQ(table.cell(0, 0), "a\n\xC3\xA9\xF0\x9F\x98\x80");
  EXPECT_EQ(table.cell(0, 2), "3.0");
  EXPECT_EQ(table.cell(1, 2), "100.0");
  EXPECT_EQ(table.cell(0, 3), "true");
  EXPECT_EQ(table.cell(0, 4), "[\"x\",2]");
  EXPECT_EQ(table.cell(0, 6), "");
  EXPECT_EQ(table.kind(0, 0), CellKind::kText);
  EXPECT_EQ(table.kind(0, 1), CellKind::kNumber);
  EXPECT_EQ(table.kind(1, 1), CellKind::kText);
  EXPECT_EQ(table.kind(0, 3), CellKind::kBoolean);
  EXPECT_EQ(table.kind(0, 4), CellKind::kList);
  EXPECT_EQ(table.kind(0, 5), CellKind::kObject);
  EXPECT_EQ(table.kind(0, 6), CellKind::kNull);
}

TEST(JsonLines, ReadByteOrderMarkCrlfAndAMegabyte) {
  const std::string megabyte(std::size_t{1} << 20, 'x');
  const Table table =
      json_lines("\xEF\xBB\xBF{\"text\": \"a\"}\r\n{\"text\": \"" + megabyte + "\"}\r\n");
  ASSERT_EQ(table.rows(), 2);
  EXPECT_EQ(table.cell(1, 0), megabyte);
}

TEST(JsonLines, NameTheLineOfWhatIsNotJson) {
  const std::string message = failure("{\"text\": \"a\"}\n{\"text\": a}\n");
  EXPECT_NE(message.find("standard input:2: byte 10 of the line: not JSON: syntax error"),
            std::string::npos)
      << message;
  EXPECT_NE(failure("{\"text\": \"\\ud800\"}\n").find(":1: byte "), std::string::npos);
  EXPECT_NE(failure("{\"text\": 1} x\n").find("not JSON"), std::string::npos);
}

TEST(JsonLines, RefuseWhatIsNotAnObject) {
  EXPECT_NE(failure("{\"text\": 1}\n[1, 2]\n")
                .find(":2: found array; expected one JSON object on "
                      "each line (JSON Lines)"),
            std::string::npos);
  EXPECT_NE(failure("7\n").find(":1: found number; expected"), std::string::npos);
}

TEST(JsonLines, SayHowToConvertAFileThatIsOneValue) {
  for (const char* text :
       {"[\n{\"text\": 1}\n]\n", "[{\"text\": 1},\n{\"text\": 2}]\n", "{\n\"data\": []\n}\n"}) {
    const std::string message = failure(text);
    EXPECT_NE(message.find(":1: found"), std::string::npos) << message;
    EXPECT_NE(message.find("goes on over several lines"), std::string::npos) << message;
    EXPECT_NE(message.find("jq -c '.[]'"), std::string::npos) << message;
  }
}

TEST(JsonLines, RefuseAKeyThatIsMissingNewOrTwice) {
  EXPECT_EQ(failure("{\"text\": \"a\", \"label\": 1}\n{\"text\": \"b\"}\n"),
            "standard input:2: the key \"label\" is missing; every line must have the keys of the "
            "first (\"text\", \"label\"), with null where there is no value");
  EXPECT_EQ(failure("{\"text\": \"a\"}\n{\"text\": \"b\", \"label\": 1}\n"),
            "standard input:2: the key \"label\" is not in the first line, which has \"text\"; "
            "every line must have the same keys");
  EXPECT_EQ(failure("{\"text\": \"a\", \"text\": \"b\"}\n"),
            "standard input:1: the key \"text\" appears twice");
}

TEST(JsonLines, RefuseNulDeepNestingAndNothing) {
  EXPECT_NE(failure("{\"text\": \"a\\u0000b\"}\n").find(":1: the text under \"text\" holds a NUL"),
            std::string::npos);
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  EXPECT_EQ(failure("{\"text\": " + deep + "}\n"), "standard input:1: nested deeper than 64");
  EXPECT_NE(failure("").find("the file is empty"), std::string::npos);
  EXPECT_EQ(failure("\n \n"), "standard input: has no rows, blank lines only");
  EXPECT_NE(failure("{}\n").find(":1: the object has no keys"), std::string::npos);
}

}  // namespace
}  // namespace tandem
