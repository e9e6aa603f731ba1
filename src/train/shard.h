#pragma once
// Which of an update's examples a rank computes.

#include <cstdint>
#include <span>
#include <vector>

#include "data/token_dataset.h"

namespace tandem {

// This rank's examples, in the update's order. Each example is one rank's, and ranks get as equal
// numbers of tokens as the longest-first rule gives them (Graham 1969): a step takes as long as its
// slowest rank. The same on every rank, since it depends on nothing but the arguments.
std::vector<std::uint32_t> shard_of(std::span<const std::uint32_t> examples,
                                    const TokenDataset& dataset, int rank, int ranks);

}  // namespace tandem
