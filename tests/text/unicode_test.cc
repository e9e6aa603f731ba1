#include "text/unicode.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "text/unicode_tables.h"

namespace tandem::unicode {
namespace {

std::u32string text_of(const Expansion& expansion) { return {expansion.begin(), expansion.end()}; }

TEST(Unicode, LooksUpTheSamePropertiesWithAndWithoutItsIndexOfPages) {
  std::size_t run = 0;
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    while (run + 1 < kPropertyRuns.size() && kPropertyRuns[run + 1].first <= c) ++run;
    ASSERT_EQ(properties(c), kPropertyRuns[run].properties) << static_cast<std::uint32_t>(c);
  }
}

TEST(Unicode, TablesAreInOrder) {
  for (std::size_t i = 1; i < kDecompositions.size(); ++i) {
    EXPECT_LT(kDecompositions[i - 1].from, kDecompositions[i].from);
  }
  for (std::size_t i = 1; i < kLowerCase.size(); ++i) {
    EXPECT_LT(kLowerCase[i - 1].from, kLowerCase[i].from);
  }
}

TEST(Unicode, DecomposesHangulByRule) {
  EXPECT_EQ(text_of(decompose(0xAC00)), U"\u1100\u1161");
  EXPECT_EQ(text_of(decompose(0xAC01)), U"\u1100\u1161\u11a8");
  EXPECT_EQ(text_of(decompose(0xD7A3)), U"\u1112\u1175\u11c2");
  EXPECT_EQ(text_of(decompose(0xD7A4)), U"\U0000d7a4");
}

TEST(Unicode, DecomposesInFull) {
  EXPECT_EQ(text_of(decompose(0x1F82)), U"\u03b1\u0313\u0300\u0345");
  EXPECT_EQ(text_of(decompose('a')), U"a");
}

TEST(Unicode, LowersToOneOrMoreCodePoints) {
  EXPECT_EQ(text_of(lower_case(0x0130)), U"i\u0307");
  EXPECT_EQ(text_of(lower_case(0x03A3)), U"\u03c3");
  EXPECT_EQ(text_of(lower_case(0x10D0)), U"\u10d0");
}

TEST(Unicode, KnowsTheClassesThatOrderMarks) {
  EXPECT_EQ(combining_class(0x0301), 230);
  EXPECT_EQ(combining_class(0x0323), 220);
  EXPECT_EQ(combining_class(0x0334), 1);
  EXPECT_EQ(combining_class('a'), 0);
}

TEST(Unicode, MeasuresWhiteSpaceAtTheEndsOfAText) {
  EXPECT_EQ(leading_whitespace(" \u3000a "), 4U);
  EXPECT_EQ(trailing_whitespace("a\u3000\t"), 4U);
  EXPECT_EQ(leading_whitespace("\u2003"), 3U);
  EXPECT_EQ(trailing_whitespace(""), 0U);
  EXPECT_EQ(trailing_whitespace("\u00e9"), 0U);
}

TEST(Unicode, SeesWordCharactersAtTheEndsOfAText) {
  EXPECT_TRUE(starts_with_word("\u00e9 "));
  EXPECT_TRUE(ends_with_word("-\U00010400"));
  EXPECT_FALSE(starts_with_word("-a"));
  EXPECT_FALSE(ends_with_word(""));
}

}  // namespace
}  // namespace tandem::unicode
