#include "text/unicode.h"

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "base/utf8.h"
#include "text/unicode_tables.h"

namespace tandem::unicode {
namespace {

constexpr char32_t kPageSize = 256;

// The last run of `runs` that starts at or before the code point.
template <class Run>
const Run& run_of(char32_t code_point, std::span<const Run> runs) {
  const auto next = std::ranges::upper_bound(runs, code_point, {}, &Run::first);
  return *std::prev(next);
}

Expansion mapped(char32_t code_point, std::span<const Mapping> mappings) {
  const auto found = std::ranges::lower_bound(mappings, code_point, {}, &Mapping::from);
  if (found == mappings.end() || found->from != code_point) return {{code_point}, 1};
  Expansion expansion{{}, 0};
  for (const char32_t part : found->to) {
    if (part == 0) break;
    expansion.code_points[expansion.count++] = part;
  }
  return expansion;
}

// The Unicode Standard, section 3.12.
constexpr char32_t kFirstSyllable = 0xAC00, kLastSyllable = 0xD7A3;
constexpr char32_t kFirstLeading = 0x1100, kFirstVowel = 0x1161, kBeforeTrailing = 0x11A7;
constexpr char32_t kVowels = 21, kTrailings = 28;

Expansion decompose_hangul(char32_t syllable) {
  const char32_t index = syllable - kFirstSyllable;
  const char32_t trailing = index % kTrailings;
  return {{kFirstLeading + index / (kVowels * kTrailings),
           kFirstVowel + index % (kVowels * kTrailings) / kTrailings, kBeforeTrailing + trailing},
          trailing == 0 ? 2 : 3};
}

DecodedCodePoint decode(std::string_view text, std::size_t offset) {
  const auto decoded = decode_utf8(text, offset);
  TANDEM_CHECK(decoded, "the text is not UTF-8 at byte {}", offset);
  return *decoded;
}

// The offset of the last code point of a text that isn't empty.
std::size_t last_offset(std::string_view text) {
  std::size_t offset = text.size() - 1;
  while (offset > 0 && (static_cast<std::uint8_t>(text[offset]) & 0xC0) == 0x80) --offset;
  return offset;
}

}  // namespace

std::uint16_t properties(char32_t code_point) {
  const std::size_t page = code_point / kPageSize;
  std::span<const PropertyRun> runs = kPropertyRuns;
  if (page + 1 < kPropertyPages.size()) {
    const std::size_t first = kPropertyPages[page], last = kPropertyPages[page + 1];
    runs = runs.subspan(first, last - first + 1);
  }
  return run_of(code_point, runs).properties;
}

std::uint8_t combining_class(char32_t code_point) {
  return run_of(code_point, kClassRuns).combining_class;
}

Expansion decompose(char32_t code_point) {
  if (code_point >= kFirstSyllable && code_point <= kLastSyllable) {
    return decompose_hangul(code_point);
  }
  return mapped(code_point, kDecompositions);
}

Expansion lower_case(char32_t code_point) { return mapped(code_point, kLowerCase); }

bool starts_with_word(std::string_view text) {
  return !text.empty() && (properties(decode(text, 0).code_point) & kWord) != 0;
}

bool ends_with_word(std::string_view text) {
  return !text.empty() && starts_with_word(text.substr(last_offset(text)));
}

std::size_t leading_whitespace(std::string_view text) {
  std::size_t offset = 0;
  while (offset < text.size()) {
    const DecodedCodePoint decoded = decode(text, offset);
    if ((properties(decoded.code_point) & kWhitespace) == 0) break;
    offset += decoded.bytes;
  }
  return offset;
}

std::size_t trailing_whitespace(std::string_view text) {
  std::size_t kept = text.size();
  while (kept > 0) {
    const std::size_t offset = last_offset(text.substr(0, kept));
    if ((properties(decode(text, offset).code_point) & kWhitespace) == 0) break;
    kept = offset;
  }
  return text.size() - kept;
}

}  // namespace tandem::unicode
