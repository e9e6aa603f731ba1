#include "data/line_reader.h"

#include <sstream>
#include <vector>

#include <gtest/gtest.h>

#include "support/error_message.h"
#include "support/temporary_directory.h"

namespace tandem {
namespace {

using testing::failure_of;
using testing::TemporaryDirectory;

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  LineReader lines(stream, "text");
  std::vector<std::string> all;
  while (lines.next()) all.emplace_back(lines.line());
  return all;
}

TEST(LineReader, ReadsLinesOfAllKinds) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(lines_of(""), Lines{});
  EXPECT_EQ(lines_of("a"), Lines{"a"});
  EXPECT_EQ(lines_of("a\nb\n"), (Lines{"a", "b"}));
  EXPECT_EQ(lines_of("\n\nb"), (Lines{"", "", "b"}));
  EXPECT_EQ(lines_of("a\r\nb\rc\r\n"), (Lines{"a", "b\rc"}));
  EXPECT_EQ(lines_of("\xEF\xBB\xBF"
                     "caf\xC3\xA9\n"),
            Lines{"caf\xC3\xA9"});
}

TEST(LineReader, ReadsLinesThatCrossThePiecesOfAFile) {
  const TemporaryDirectory directory;
  std::string text;
  std::vector<std::string> expected;
  for (std::size_t i = 0; i < 300; ++i) {
    expected.emplace_back(i * 41, static_cast<char>('a' + i % 26));
    text += expected.back() + "\n";
  }
  ASSERT_GT(text.size(), std::size_t{1} << 20);
  LineReader lines(directory.write("long.txt", text));
  for (const std::string& line : expected) {
    ASSERT_TRUE(lines.next());
    ASSERT_EQ(lines.line(), line);
  }
  EXPECT_FALSE(lines.next());
  EXPECT_EQ(lines.number(), 300);
  EXPECT_EQ(lines_of(text), expected);
}

TEST(LineReader, ReadsALineOfAMegabyteAndRefusesOneBeyondTheCap) {
  const std::string megabyte(std::size_t{1} << 20, 'x');
  EXPECT_EQ(lines_of("a\n" + megabyte + "\nb"), (std::vector<std::string>{"a", megabyte, "b"}));
  EXPECT_EQ(lines_of(std::string(kMaxLineBytes, 'x')).size(), 1);
  const auto failure = failure_of([] { lines_of("a\n" + std::string(kMaxLineBytes + 1, 'x')); });
  EXPECT_EQ(failure.code, ExitCode::kData);
  EXPECT_EQ(failure.message,
            "text:2: the line is longer than 16777216 bytes; is this a text table?");
}

TEST(LineReader, NamesLineAndByteOfWhatIsNotUtf8) {
  const auto failure = failure_of([] { lines_of("good\r\ncaf\xE9\n"); });
  EXPECT_EQ(failure.code, ExitCode::kData);
  EXPECT_EQ(failure.message,
            "text:2: byte 4 of the line is 0xE9, which is not UTF-8; if the file is Latin-1, "
            "convert it: iconv -f latin1 -t utf-8");
}

TEST(LineReader, RefusesUtf16AndNulBytes) {
  const auto utf16 = failure_of([] {
    lines_of(
        std::string("\xFF\xFE"
                    "a\0",
                    4));
  });
  EXPECT_EQ(utf16.message, "text:1: this is UTF-16; convert it: iconv -f utf-16 -t utf-8");
  const auto nul = failure_of([] { lines_of(std::string("a\nb\0c\n", 6)); });
  EXPECT_EQ(nul.code, ExitCode::kData);
  EXPECT_NE(nul.message.find("text:2: byte 2 of the line is NUL, which no text has"),
            std::string::npos)
      << nul.message;
}

TEST(LineReader, NamesAMissingFile) {
  const TemporaryDirectory directory;
  const auto failure = failure_of([&] { LineReader lines(directory.path() / "no.tsv"); });
  EXPECT_EQ(failure.code, ExitCode::kData);
  EXPECT_NE(failure.message.find("no.tsv: cannot be read: no such file"), std::string::npos)
      << failure.message;
}

}  // namespace
}  // namespace tandem
