#include "tensor/arena.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

// The same requests in both modes, as a step makes them.
std::int64_t walk(Arena& arena) {
  arena.matrix<float>(3, 5);
  {
    const ArenaScope scope(arena);
    arena.vector<float>(1000);
  }
  arena.vector<std::int32_t>(7);
  return arena.peak_bytes();
}

TEST(Arena, CountingPredictsThePeakOfTheRealOne) {
  Arena counting{Arena::Counting()};
  const std::int64_t bytes = walk(counting);
  EXPECT_EQ(bytes, 64 + 4032);
  Arena real(bytes);
  EXPECT_EQ(walk(real), bytes);
  EXPECT_EQ(real.mark(), 128);
}

TEST(Arena, HandsOutAlignedMemoryThatDoesNotOverlap) {
  Arena arena(1 << 20);
  const auto first = arena.vector<float>(3);
  const auto second = arena.vector<float>(3);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first.data()) % 64, 0U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(second.data()) % 64, 0U);
  EXPECT_GE(second.data(), first.data() + 3);
}

TEST(Arena, MatrixRangesAreViewsOfTheSameMemory) {
  Arena arena(1 << 20);
  const Matrix<float> matrix = arena.matrix<float>(4, 6);
  const Matrix<float> part = matrix.row_range(1, 3).col_range(2, 5);
  EXPECT_EQ(part.data, matrix.row(1) + 2);
  EXPECT_EQ(part.rows, 2);
  EXPECT_EQ(part.cols, 3);
  EXPECT_EQ(part.stride, 6);
}

}  // namespace
}  // namespace tandem
