#include "text/added_tokens.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

struct Part {
  std::int32_t id;
  std::string text;
  bool operator==(const Part&) const = default;
};
using Parts = std::vector<Part>;

std::ostream& operator<<(std::ostream& out, const Part& part) {
  return out << part.id << " \"" << part.text << '"';
}

Parts split(const std::vector<AddedToken>& tokens, std::string_view text) {
  std::vector<AddedTokenFinder::Pattern> patterns;
  for (const AddedToken& token : tokens) patterns.push_back({token.content, token});
  Parts parts;
  AddedTokenFinder(patterns).split(text, [&](std::int32_t id, std::size_t begin, std::size_t end) {
    parts.push_back({id, std::string(text.substr(begin, end - begin))});
  });
  return parts;
}

TEST(AddedTokens, AreFoundAnywhere) {
  const std::vector<AddedToken> tokens = {{.id = 1, .content = "[SEP]"},
                                          {.id = 2, .content = "[MASK]"}};
  EXPECT_EQ(split(tokens, "[SEP]a[MASK][MASK] b"),
            (Parts{{1, "[SEP]"}, {-1, "a"}, {2, "[MASK]"}, {2, "[MASK]"}, {-1, " b"}}));
  EXPECT_EQ(split(tokens, "[SEP"), (Parts{{-1, "[SEP"}}));
  EXPECT_EQ(split(tokens, ""), Parts{});
  EXPECT_EQ(split({}, "[SEP]"), (Parts{{-1, "[SEP]"}}));
}

TEST(AddedTokens, TheLongestAtTheLeftmostPlaceWins) {
  const std::vector<AddedToken> tokens = {
      {.id = 1, .content = "ab"}, {.id = 2, .content = "abc"}, {.id = 3, .content = "bcd"}};
  EXPECT_EQ(split(tokens, "xabcd"), (Parts{{-1, "x"}, {2, "abc"}, {-1, "d"}}));
  EXPECT_EQ(split(tokens, "abbcd"), (Parts{{1, "ab"}, {3, "bcd"}}));
}

TEST(AddedTokens, OfASingleWordDoNotStandWithinOne) {
  const std::vector<AddedToken> tokens = {{.id = 1, .content = "ab", .single_word = true}};
  EXPECT_EQ(split(tokens, "ab,ab"), (Parts{{1, "ab"}, {-1, ","}, {1, "ab"}}));
  EXPECT_EQ(split(tokens, "xab"), (Parts{{-1, "xab"}}));
  EXPECT_EQ(split(tokens, "ab\u00e9"), (Parts{{-1, "ab\u00e9"}}));
  EXPECT_EQ(split(tokens, "ab_"), (Parts{{-1, "ab_"}}));
}

TEST(AddedTokens, TakeWhiteSpaceWithThem) {
  const std::vector<AddedToken> both = {
      {.id = 1, .content = "<x>", .lstrip = true, .rstrip = true}};
  EXPECT_EQ(split(both, "a \t<x>\u3000 <x> b"),
            (Parts{{-1, "a"}, {1, " \t<x>\u3000 "}, {1, "<x> "}, {-1, "b"}}));
  const std::vector<AddedToken> space = {{.id = 1, .content = "a", .rstrip = true},
                                         {.id = 2, .content = " "}};
  EXPECT_EQ(split(space, " a "), (Parts{{2, " "}, {1, "a "}, {2, " "}}));
}

}  // namespace
}  // namespace tandem
