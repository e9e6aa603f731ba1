#include "base/nearest.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include <fmt/format.h>

namespace tandem {
namespace {

// The distance takes time quadratic in the length, and a table's cell may be a megabyte.
constexpr std::size_t kLongestName = 200;

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

// The optimal string alignment distance: Levenshtein's with swaps of neighbours, by the usual
// table of which the last three rows are kept.
std::size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replace, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view word,
                                        std::span<const std::string> candidates) {
  std::optional<std::string> nearest;
  std::size_t fewest = 0;
  for (const std::string& candidate : candidates) {
    const std::size_t longer = std::max(word.size(), candidate.size());
    const std::size_t shorter = std::min(word.size(), candidate.size());
    const std::size_t limit = std::max<std::size_t>(1, longer / 3);
    if (longer - shorter > limit || longer > kLongestName) continue;
    const std::size_t edits = edits_between(lower_case(word), lower_case(candidate));
    if (edits > limit || edits >= longer) continue;
    if (!nearest || edits < fewest) {
      nearest = candidate;
      fewest = edits;
    }
  }
  return nearest;
}

std::string suggestion(std::string_view word, std::span<const std::string> candidates) {
  const std::optional<std::string> name = nearest_name(word, candidates);
  return name ? fmt::format("; did you mean \"{}\"?", *name) : std::string();
}

}  // namespace tandem
