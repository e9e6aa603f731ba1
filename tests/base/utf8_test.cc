#include "base/utf8.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(Utf8, EveryScalarValueSurvivesARoundTrip) {
  for (char32_t value = 0; value <= 0x10FFFF; ++value) {
    if (value >= 0xD800 && value <= 0xDFFF) continue;
    std::string text;
    append_utf8(value, text);
    const auto decoded = decode_utf8(text, 0);
    ASSERT_TRUE(decoded.has_value()) << static_cast<std::uint32_t>(value);
    ASSERT_EQ(decoded->code_point, value);
    ASSERT_EQ(decoded->bytes, text.size());
  }
}

TEST(Utf8, FindsTheFirstByteThatIsNotUtf8) {
  EXPECT_EQ(first_invalid_utf8("plain"), std::nullopt);
  EXPECT_EQ(first_invalid_utf8("caf\xC3\xA9"), std::nullopt);
  EXPECT_EQ(first_invalid_utf8("caf\xE9 au lait"), 3U);   // Latin-1
  EXPECT_EQ(first_invalid_utf8("ab\xC0\xAF"), 2U);        // overlong
  EXPECT_EQ(first_invalid_utf8("a\xED\xA0\x80"), 1U);     // surrogate
  EXPECT_EQ(first_invalid_utf8("\xF4\x90\x80\x80"), 0U);  // over U+10FFFF
  EXPECT_EQ(first_invalid_utf8("abc\xE2\x82"), 3U);       // cut short
}

}  // namespace
}  // namespace tandem
