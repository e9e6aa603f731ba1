#include "base/bf16.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace tandem {
namespace {

float rounded(float value) { return to_float(round_to<BFloat16>(value)); }

TEST(BFloat16, EveryValueStaysAsItIs) {
  for (std::uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    const BFloat16 value{static_cast<std::uint16_t>(bits)};
    if (std::isnan(to_float(value))) {
      EXPECT_TRUE(std::isnan(rounded(to_float(value))));
    } else {
      EXPECT_EQ(round_to<BFloat16>(to_float(value)), value);
    }
  }
}

TEST(BFloat16, RoundsToTheNearestAndTiesToEven) {
  EXPECT_EQ(rounded(1.0F + 0x1p-8F), 1.0F);               // a tie, down to even
  EXPECT_EQ(rounded(1.0F + 0x3p-8F), 1.0F + 0x4p-8F);     // a tie, up to even
  EXPECT_EQ(rounded(1.0F + 0x1.02p-8F), 1.0F + 0x2p-8F);  // just above a tie
  EXPECT_EQ(rounded(-1.0F - 0x3p-8F), -1.0F - 0x4p-8F);
  EXPECT_EQ(rounded(-0.0F), 0.0F);
  EXPECT_TRUE(std::signbit(rounded(-0.0F)));
}

TEST(BFloat16, KeepsWhatIsNotFinite) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(rounded(kInfinity), kInfinity);
  EXPECT_EQ(rounded(-kInfinity), -kInfinity);
  EXPECT_EQ(rounded(std::numeric_limits<float>::max()), kInfinity);
  // A NaN whose upper half alone would be an infinity, and one that rounding would carry over.
  EXPECT_TRUE(std::isnan(rounded(std::bit_cast<float>(0x7F800001U))));
  EXPECT_TRUE(std::isnan(rounded(std::bit_cast<float>(0x7FFFFFFFU))));
}

}  // namespace
}  // namespace tandem
