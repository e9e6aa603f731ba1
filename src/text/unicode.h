#pragma once
// What the `tokenizers` package thinks of a code point. Its tables come from several versions of
// Unicode and equal those of none, so no library of today can be asked instead.

#include <cstdint>
#include <string>
#include <string_view>

namespace tandem::unicode {

enum CharacterProperties : std::uint16_t {
  kRemoved = 1,      // clean_text drops it: control characters, U+0000, U+FFFD
  kWhitespace = 2,   // separates words
  kChinese = 4,      // handle_chinese_chars puts spaces around it
  kPunctuation = 8,  // a word of its own
  kMark = 16,        // category Mn, which strip_accents drops
  kWord = 32,        // \w of a regular expression
  kDecomposes = 64,  // has a canonical decomposition
  kLowers = 128,     // has a lower case
  kReorders = 256,   // its canonical combining class is not 0
};

// The bits of CharacterProperties.
std::uint16_t properties(char32_t code_point);

// 0 for most; of use only for those that have kReorders.
std::uint8_t combining_class(char32_t code_point);

// A few code points, at most four.
struct Expansion {
  char32_t code_points[4];
  int count;
  const char32_t* begin() const { return code_points; }
  const char32_t* end() const { return code_points + count; }
};
// The full canonical decomposition, or the code point itself.
Expansion decompose(char32_t code_point);
// The lower case, or the code point itself.
Expansion lower_case(char32_t code_point);

// Whether `text`, valid UTF-8, starts or ends with a \w.
bool starts_with_word(std::string_view text);
bool ends_with_word(std::string_view text);

// The bytes of white space at the start or end of `text`.
std::size_t leading_whitespace(std::string_view text);
std::size_t trailing_whitespace(std::string_view text);

}  // namespace tandem::unicode
