#include "text/long_text.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

using Pieces = std::vector<TextPiece>;

TextPiece piece(TokenRange first, TokenRange second = {}) { return {{first, {}}, {second, {}}}; }

TEST(LongText, ThatFitsIsReadWhole) {
  for (const LongText how :
       {LongText::kHead, LongText::kTail, LongText::kHeadTail, LongText::kWindow}) {
    EXPECT_EQ(pieces_of({5, 3}, 8, how), Pieces{piece({0, 5}, {0, 3})});
    EXPECT_EQ(pieces_of({0, 0}, 8, how), Pieces{piece({})});
  }
}

TEST(LongText, IsCutAtItsEndOrItsStart) {
  EXPECT_EQ(pieces_of({20, 0}, 8, LongText::kHead), Pieces{piece({0, 8})});
  EXPECT_EQ(pieces_of({20, 0}, 8, LongText::kTail), Pieces{piece({12, 20}, {0, 0})});
  EXPECT_EQ(pieces_of({20, 2}, 8, LongText::kTail), Pieces{piece({14, 20}, {0, 2})});
}

// 128 and 382 of 510 in Sun et al. 2019, rounded down to a quarter here.
TEST(LongText, OfHeadAndTailKeepsAQuarterOfTheHead) {
  const Pieces pieces = pieces_of({1000, 0}, 510, LongText::kHeadTail);
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_EQ(pieces[0].first[0], (TokenRange{0, 127}));
  EXPECT_EQ(pieces[0].first[1], (TokenRange{617, 1000}));
}

TEST(LongText, InWindowsIsReadWholeWithOverlap) {
  EXPECT_EQ(pieces_of({20, 0}, 8, LongText::kWindow),
            (Pieces{piece({0, 8}), piece({6, 14}), piece({12, 20})}));
  EXPECT_EQ(pieces_of({9, 0}, 8, LongText::kWindow), (Pieces{piece({0, 8}), piece({1, 9})}));
  for (std::int64_t length = 9; length < 60; ++length) {
    std::int64_t covered = 0;
    for (const TextPiece& window : pieces_of({length, 0}, 8, LongText::kWindow)) {
      EXPECT_EQ(window.first[0].size(), 8);
      EXPECT_LE(window.first[0].begin, covered);
      covered = window.first[0].end;
    }
    EXPECT_EQ(covered, length);
  }
}

TEST(LongText, OfAPairInWindowsRepeatsTheOtherText) {
  EXPECT_EQ(pieces_of({3, 12}, 11, LongText::kWindow),
            (Pieces{piece({0, 3}, {0, 8}), piece({0, 3}, {4, 12})}));
  // Both are too long: the one that loses more is read whole, the other's head stands in each
  // piece.
  const Pieces both = pieces_of({30, 20}, 10, LongText::kWindow);
  EXPECT_EQ(both.front(), piece({0, 5}, {0, 5}));
  EXPECT_EQ(both.back(), piece({25, 30}, {0, 5}));
}

TEST(LongText, WithoutRoomIsOnePieceOfNothing) {
  for (const LongText how :
       {LongText::kHead, LongText::kTail, LongText::kHeadTail, LongText::kWindow}) {
    EXPECT_EQ(pieces_of({5, 0}, 0, how).size(), 1U);
  }
}

}  // namespace
}  // namespace tandem
