#pragma once
// Who is measured with whom, and when.

#include <cstddef>
#include <utility>
#include <vector>

namespace tandem {

// Rounds of a tournament of `count`: in each, everyone is in one pair at most, and over all rounds
// everyone meets everyone (the circle method). At most `most` rounds.
std::vector<std::vector<std::pair<std::size_t, std::size_t>>> tournament(std::size_t count,
                                                                         std::size_t most);

}  // namespace tandem
