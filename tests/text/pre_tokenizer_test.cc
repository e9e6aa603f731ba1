#include "text/pre_tokenizer.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tandem {
namespace {

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> result;
  std::size_t position = 0;
  for (std::string_view word = next_word(text, position); !word.empty();
       word = next_word(text, position)) {
    result.emplace_back(word);
  }
  EXPECT_EQ(position, text.size());
  return result;
}

using Words = std::vector<std::string>;

TEST(PreTokenizer, CutsAtWhiteSpace) {
  EXPECT_EQ(words("  ab\tc\u3000d\u00a0e \n"), (Words{"ab", "c", "d", "e"}));
  EXPECT_EQ(words(""), Words{});
  EXPECT_EQ(words(" \u2028 "), Words{});
}

TEST(PreTokenizer, MakesEachPunctuationCharacterAWord) {
  EXPECT_EQ(words("it's (a)?!"), (Words{"it", "'", "s", "(", "a", ")", "?", "!"}));
  EXPECT_EQ(words("$a+b_c^`|~"), (Words{"$", "a", "+", "b", "_", "c", "^", "`", "|", "~"}));
  EXPECT_EQ(words("a\u3002\u2014b"), (Words{"a", "\u3002", "\u2014", "b"}));
}

TEST(PreTokenizer, DoesNotCutAtSymbolsOutsideAscii) {
  EXPECT_EQ(words("a\u20acb\u00d7\U0001f600c"), Words{"a\u20acb\u00d7\U0001f600c"});
}

// The reference's categories are those of about Unicode 8.
TEST(PreTokenizer, DoesNotKnowPunctuationOfNewerUnicode) {
  EXPECT_EQ(words("a\u2e4fb"), Words{"a\u2e4fb"});
  EXPECT_EQ(words("a\u166db"), (Words{"a", "\u166d", "b"}));
}

}  // namespace
}  // namespace tandem
