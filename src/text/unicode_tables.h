#pragma once
// What `tokenizers` does with each code point, as tables. Their one reader is unicode.cc.

#include <cstdint>
#include <span>

namespace tandem::unicode {

// Properties of the code points from `first` to the next run's first.
struct PropertyRun {
  char32_t first;
  std::uint16_t properties;  // bits of CharacterProperties
};
struct ClassRun {
  char32_t first;
  std::uint8_t combining_class;
};
// `to` ends at its first zero.
struct Mapping {
  char32_t from;
  char32_t to[4];
};

extern const std::span<const PropertyRun> kPropertyRuns;     // in order, from U+0000
extern const std::span<const std::uint16_t> kPropertyPages;  // run of U+0000, U+0100, ... U+20000
extern const std::span<const ClassRun> kClassRuns;           // in order, from U+0000
extern const std::span<const Mapping> kDecompositions;       // in order of `from`
extern const std::span<const Mapping> kLowerCase;            // in order of `from`

}  // namespace tandem::unicode
