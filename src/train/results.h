#pragma once
// What a phase of a run came to.

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem {

// Named numbers of one phase, e.g. "train_runtime" or "eval_accuracy".
using Results = std::vector<std::pair<std::string, double>>;

// Whether a result of this name tells how much was done or how fast, and not how well.
inline bool is_speed(std::string_view name) {
  constexpr std::string_view kParts[] = {"_runtime", "_samples", "_per_second"};
  return std::ranges::any_of(
      kParts, [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

}  // namespace tandem
