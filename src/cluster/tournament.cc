#include "cluster/tournament.h"

#include <algorithm>

namespace tandem {

std::vector<std::vector<std::pair<std::size_t, std::size_t>>> tournament(std::size_t count,
                                                                         std::size_t most) {
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> rounds;
  const std::size_t players = count + count % 2;  // with an odd number one rests
  for (std::size_t round = 0; round + 1 < players && round < most; ++round) {
    // The last one stays, the others go round.
    const auto at = [&](std::size_t seat) {
      return seat == players - 1 ? seat : (seat + round) % (players - 1);
    };
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t seat = 0; seat < players / 2; ++seat) {
      const auto [low, high] = std::minmax({at(seat), at(players - 1 - seat)});
      if (high < count) pairs.emplace_back(low, high);
    }
    rounds.push_back(std::move(pairs));
  }
  return rounds;
}

}  // namespace tandem
