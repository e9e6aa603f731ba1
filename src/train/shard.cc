#include "train/shard.h"

#include <algorithm>
#include <numeric>

namespace tandem {

std::vector<std::uint32_t> shard_of(std::span<const std::uint32_t> examples,
                                    const TokenDataset& dataset, int rank, int ranks) {
  std::vector<std::size_t> longest_first(examples.size());
  std::iota(longest_first.begin(), longest_first.end(), 0U);
  std::ranges::stable_sort(longest_first, std::greater(),
                           [&](std::size_t place) { return dataset.length(examples[place]); });
  std::vector<std::int64_t> tokens(static_cast<std::size_t>(ranks));
  std::vector<std::size_t> mine;
  for (const std::size_t place : longest_first) {
    const auto least = std::ranges::min_element(tokens);
    *least += dataset.length(examples[place]);
    if (least - tokens.begin() == rank) mine.push_back(place);
  }
  std::ranges::sort(mine);
  std::vector<std::uint32_t> shard;
  for (const std::size_t place : mine) shard.push_back(examples[place]);
  return shard;
}

}  // namespace tandem
