#include "text/normalizer.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

using namespace std::string_view_literals;  // for texts with U+0000

constexpr NormalizerOptions kNothing{
    .clean_text = false, .handle_chinese_chars = false, .strip_accents = false, .lowercase = false};

std::string normal_form(const NormalizerOptions& options, std::string_view text) {
  std::string plain, tracked;
  std::vector<ByteRange> origins;
  const Normalizer normalizer(options);
  normalizer.append(text, plain);
  normalizer.append(text, 0, tracked, origins);
  EXPECT_EQ(plain, tracked);
  EXPECT_EQ(origins.size(), tracked.size());
  return plain;
}

TEST(Normalizer, LeavesATextAloneWhenAskedForNothing) {
  constexpr std::string_view text = "A\tb\0c \u00e9 e\u0323\u0301 \u6f22 \u0130 \ufffd\u200d"sv;
  EXPECT_EQ(normal_form(kNothing, text), text);
}

TEST(Normalizer, DropsControlCharactersAndMakesWhiteSpacePlain) {
  NormalizerOptions options = kNothing;
  options.clean_text = true;
  EXPECT_EQ(normal_form(options, "a\0b\x07\x7f\t\r\n c"sv), "ab    c");
  EXPECT_EQ(normal_form(options, "a\u00a0b\u3000c\u2028d\u200be\ufffdf\u0085g\x0bh"),
            "a b c defgh");
  EXPECT_EQ(normal_form(options, "a\u0378b"), "a\u0378b");  // not assigned, kept
}

TEST(Normalizer, PutsSpacesAroundChineseCharacters) {
  NormalizerOptions options = kNothing;
  options.handle_chinese_chars = true;
  EXPECT_EQ(normal_form(options, "a\u6f22\u5b57b"), "a \u6f22  \u5b57 b");
  EXPECT_EQ(normal_form(options, "\u3042\ud55c\U00020000"), "\u3042\ud55c \U00020000 ");
  // The reference starts extension E 256 code points late.
  EXPECT_EQ(normal_form(options, "\U0002b820\U0002b920"), "\U0002b820 \U0002b920 ");
}

TEST(Normalizer, DecomposesAndDropsMarks) {
  NormalizerOptions options = kNothing;
  options.strip_accents = true;
  EXPECT_EQ(normal_form(options, "\u00e9 e\u0301 \u1ead \u212b \uf900"), "e e a A \u8c48");
  EXPECT_EQ(normal_form(options, "\ud55c\uac00"), "\u1112\u1161\u11ab\u1100\u1161");
  EXPECT_EQ(normal_form(options, "\u0915\u093f\u094d"), "\u0915\u093f");  // Mc stays, Mn goes
}

TEST(Normalizer, PutsTheMarksThatStayIntoCanonicalOrder) {
  NormalizerOptions options = kNothing;
  options.strip_accents = true;
  // U+302E (Mc, class 224) moves behind U+1D165 (Mc, class 216).
  EXPECT_EQ(normal_form(options, "a\u302e\U0001d165b"), "a\U0001d165\u302eb");
  EXPECT_EQ(normal_form(options, "a\u302eb\U0001d165"), "a\u302eb\U0001d165");
  // A control character between them is dropped first.
  options.clean_text = true;
  EXPECT_EQ(normal_form(options, "a\u302e\x01\U0001d165"), "a\U0001d165\u302e");
  options.clean_text = false;
  EXPECT_EQ(normal_form(options, "a\u302e\x01\U0001d165"), "a\u302e\x01\U0001d165");
}

TEST(Normalizer, LowersOneCodePointAtATime) {
  NormalizerOptions options = kNothing;
  options.lowercase = true;
  EXPECT_EQ(normal_form(options, "ABC \u00c9 \u1c90 \U00010400"), "abc \u00e9 \u10d0 \U00010428");
  EXPECT_EQ(normal_form(options, "\u0130"), "i\u0307");
  EXPECT_EQ(normal_form(options, "\u039f\u03a3"), "\u03bf\u03c3");  // no final sigma
  options.strip_accents = true;
  EXPECT_EQ(normal_form(options, "\u0130\u1e9b\u0323"), "i\u017f");
}

TEST(Normalizer, TellsWhereEachByteCameFrom) {
  const Normalizer normalizer(NormalizerOptions{});
  std::string out;
  std::vector<ByteRange> origins;
  normalizer.append("\u00c9\x01x\u6f22", 10, out, origins);
  ASSERT_EQ(out, "ex \u6f22 ");
  const std::size_t expected[][2] = {{10, 12}, {13, 14}, {14, 17}, {14, 17},
                                     {14, 17}, {14, 17}, {14, 17}};
  ASSERT_EQ(origins.size(), std::size(expected));
  for (std::size_t i = 0; i < origins.size(); ++i) {
    EXPECT_EQ(origins[i].begin, expected[i][0]) << i;
    EXPECT_EQ(origins[i].end, expected[i][1]) << i;
  }
}

}  // namespace
}  // namespace tandem
