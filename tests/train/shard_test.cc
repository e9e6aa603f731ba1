#include "train/shard.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace tandem {
namespace {

TokenDataset dataset_of(const std::vector<std::int64_t>& lengths) {
  TokenDataset dataset;
  dataset.starts.push_back(0);
  for (const std::int64_t length : lengths) {
    dataset.starts.push_back(dataset.starts.back() + length);
    dataset.lines.push_back(1);
  }
  return dataset;
}

TEST(Shard, GivesEachExampleToOneRankAndTokensEvenly) {
  std::vector<std::int64_t> lengths;
  std::vector<std::uint32_t> examples;
  for (std::uint32_t i = 0; i < 64; ++i) {
    lengths.push_back(20 + i * 37 % 80);
    examples.push_back(63 - i);
  }
  const TokenDataset dataset = dataset_of(lengths);
  for (const int ranks : {1, 2, 3, 4}) {
    std::vector<std::uint32_t> all;
    std::vector<std::int64_t> tokens;
    for (int rank = 0; rank < ranks; ++rank) {
      const std::vector<std::uint32_t> shard = shard_of(examples, dataset, rank, ranks);
      EXPECT_TRUE(std::ranges::is_sorted(shard, std::greater())) << "not in the update's order";
      all.insert(all.end(), shard.begin(), shard.end());
      tokens.push_back(0);
      for (const std::uint32_t example : shard) tokens.back() += dataset.length(example);
    }
    std::ranges::sort(all, std::greater());
    EXPECT_EQ(all, examples);
    EXPECT_LE(std::ranges::max(tokens) - std::ranges::min(tokens), 20);
  }
}

TEST(Shard, LeavesRanksWithoutExamplesWhenThereAreTooFew) {
  const TokenDataset dataset = dataset_of({5, 9});
  const std::vector<std::uint32_t> examples = {0, 1};
  EXPECT_EQ(shard_of(examples, dataset, 0, 3), std::vector<std::uint32_t>{1});
  EXPECT_EQ(shard_of(examples, dataset, 1, 3), std::vector<std::uint32_t>{0});
  EXPECT_TRUE(shard_of(examples, dataset, 2, 3).empty());
}

}  // namespace
}  // namespace tandem
