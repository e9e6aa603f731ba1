#pragma once
// "Did you mean ...?": the known name that is closest to a mistyped one.

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tandem {

// The candidate with the fewest edits (insert, delete or replace a byte, swap two neighbours; ASCII
// case doesn't count) from `word`; the first of several that are equally close. Nothing when even
// that one differs in more than a third of the longer of the two, so that no absurd name is shown;
// names over 200 bytes are not considered.
std::optional<std::string> nearest_name(std::string_view word,
                                        std::span<const std::string> candidates);

// "; did you mean \"label\"?" for the end of a message, or nothing.
std::string suggestion(std::string_view word, std::span<const std::string> candidates);

}  // namespace tandem
