#include "text/added_tokens.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "text/unicode.h"

namespace tandem {
namespace {

std::uint8_t first_byte(std::string_view text) {
  TANDEM_CHECK(!text.empty(), "nothing to look for");
  return static_cast<std::uint8_t>(text.front());
}

}  // namespace

AddedTokenFinder::AddedTokenFinder(std::vector<Pattern> patterns) : patterns_(std::move(patterns)) {
  std::ranges::sort(patterns_, [](const Pattern& a, const Pattern& b) {
    const std::uint8_t a_start = first_byte(a.text), b_start = first_byte(b.text);
    return a_start != b_start ? a_start < b_start : a.text.size() > b.text.size();
  });
  for (const Pattern& pattern : patterns_) ++groups_[std::size_t{first_byte(pattern.text)} + 1];
  std::partial_sum(groups_.begin(), groups_.end(), groups_.begin());
  if (patterns_.empty()) return;
  const std::uint8_t start = first_byte(patterns_.front().text);
  if (start == first_byte(patterns_.back().text)) only_start_ = start;
}

AddedTokenFinder::Match AddedTokenFinder::find(std::string_view text, std::size_t from) const {
  if (patterns_.empty()) return {};
  for (std::size_t at = from; at < text.size(); ++at) {
    if (only_start_ >= 0) {
      at = text.find(static_cast<char>(only_start_), at);
      if (at == text.npos) return {};
    }
    const std::string_view rest = text.substr(at);
    const std::size_t group = first_byte(rest);
    for (std::size_t i = groups_[group]; i < groups_[group + 1]; ++i) {
      const Pattern& pattern = patterns_[i];
      if (rest.starts_with(pattern.text)) return {&pattern.token, at, at + pattern.text.size()};
    }
  }
  return {};
}

bool stands_alone(std::string_view text, std::size_t begin, std::size_t end) {
  return !unicode::ends_with_word(text.substr(0, begin)) &&
         !unicode::starts_with_word(text.substr(end));
}

std::size_t begin_with_space(std::string_view text, std::size_t begin, std::size_t taken) {
  const std::size_t start = begin - unicode::trailing_whitespace(text.substr(0, begin));
  return std::max(start, taken);
}

std::size_t end_with_space(std::string_view text, std::size_t end) {
  return end + unicode::leading_whitespace(text.substr(end));
}

}  // namespace tandem
