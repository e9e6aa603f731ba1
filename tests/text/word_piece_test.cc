#include "text/word_piece.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

const std::vector<VocabularyEntry> kVocabulary = {
    {"[UNK]", 0}, {"un", 1},     {"##aff", 2},    {"##able", 3}, {"unaff", 4}, {"a", 5},
    {"##a", 6},   {"\u00e9", 7}, {"##\u00e9", 8}, {"", 9},       {"##", 10},   {"#", 11}};

using Ids = std::vector<std::int32_t>;

Ids cut(const WordPiece& word_piece, std::string_view word) {
  Ids ids;
  word_piece.append(word, ids);
  std::vector<WordPieceToken> tokens;
  word_piece.append(word, tokens);
  Ids same;
  for (const WordPieceToken& token : tokens) same.push_back(token.id);
  EXPECT_EQ(ids, same);
  EXPECT_EQ(tokens.back().end, word.size());
  return ids;
}

TEST(WordPiece, TakesTheLongestPieceFromTheLeft) {
  const WordPiece word_piece({}, kVocabulary);
  EXPECT_EQ(cut(word_piece, "unaffable"), (Ids{4, 3}));
  EXPECT_EQ(cut(word_piece, "un"), Ids{1});
  EXPECT_EQ(cut(word_piece, "aaa"), (Ids{5, 6, 6}));
  EXPECT_EQ(cut(word_piece, "\u00e9\u00e9a"), (Ids{7, 8, 6}));
}

TEST(WordPiece, GivesTheUnknownTokenForAWordItCannotCutToItsEnd) {
  const WordPiece word_piece({}, kVocabulary);
  EXPECT_EQ(cut(word_piece, "unx"), Ids{0});
  EXPECT_EQ(cut(word_piece, "xun"), Ids{0});
  EXPECT_EQ(cut(word_piece, "aff"), Ids{0});  // only in the middle of a word
}

TEST(WordPiece, ReadsThePrefixInATextAsText) {
  const WordPiece word_piece({}, kVocabulary);
  EXPECT_EQ(cut(word_piece, "##a"), Ids{6});
  EXPECT_EQ(cut(word_piece, "#"), Ids{11});
}

TEST(WordPiece, AppendsToWhatIsThere) {
  const WordPiece word_piece({}, kVocabulary);
  Ids ids = {99};
  word_piece.append("un", ids);
  word_piece.append("ax", ids);
  EXPECT_EQ(ids, (Ids{99, 1, 0}));
}

TEST(WordPiece, CountsCharactersNotBytesOfALongWord) {
  const WordPiece word_piece({.max_input_chars_per_word = 3}, kVocabulary);
  EXPECT_EQ(cut(word_piece, "\u00e9\u00e9\u00e9"), (Ids{7, 8, 8}));
  EXPECT_EQ(cut(word_piece, "\u00e9\u00e9\u00e9a"), Ids{0});
  EXPECT_EQ(cut(word_piece, "aaaa"), Ids{0});
}

TEST(WordPiece, CutsWordsLongerThanItsStackWithTokensAsLong) {
  const std::string token(1000, 'b');
  std::vector<VocabularyEntry> vocabulary = kVocabulary;
  vocabulary.push_back({token, 20});
  const WordPiece word_piece({.max_input_chars_per_word = 5000}, vocabulary);
  EXPECT_EQ(cut(word_piece, token + "a"), (Ids{20, 6}));
  EXPECT_EQ(cut(word_piece, std::string(2000, 'a')).size(), 2000U);
}

TEST(WordPiece, TakesAnotherPrefixOrNone) {
  const WordPiece none({.continuing_subword_prefix = ""}, kVocabulary);
  EXPECT_EQ(cut(none, "aun"), (Ids{5, 1}));
}

}  // namespace
}  // namespace tandem
