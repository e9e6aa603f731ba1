#include "data/packed_batch.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(PackedBatch, PutsSequencesEndToEnd) {
  const TokenDataset dataset{.ids = {101, 7, 102, 101, 102, 101, 8, 9, 102},
                             .segments = {0, 0, 0, 0, 0, 0, 0, 1, 1},
                             .starts = {0, 3, 5, 9},
                             .labels = {1, 0, 1},
                             .lines = {2, 3, 4},
                             .source = "train.tsv"};
  const std::vector<std::uint32_t> examples = {2, 0};
  const PackedBatch batch = pack(dataset, examples);
  using Ints = std::vector<std::int32_t>;
  EXPECT_EQ(batch.ids, (Ints{101, 8, 9, 102, 101, 7, 102}));
  EXPECT_EQ(batch.segments, (Ints{0, 0, 1, 1, 0, 0, 0}));
  EXPECT_EQ(batch.positions, (Ints{0, 1, 2, 3, 0, 1, 2}));
  EXPECT_EQ(batch.starts, (Ints{0, 4, 7}));
  EXPECT_EQ(batch.labels, (std::vector<float>{1, 1}));
  EXPECT_EQ(batch.examples, examples);
  EXPECT_EQ(batch.samples, (std::vector<std::uint32_t>{2, 2, 2, 2, 0, 0, 0}));
  EXPECT_EQ(batch.tokens(), 7);
  EXPECT_EQ(batch.sequences(), 2);
}

TEST(PackedBatch, CarriesSeveralLabelsOfAnExample) {
  const TokenDataset dataset{.ids = {1, 2},
                             .segments = {0, 0},
                             .starts = {0, 1, 2},
                             .labels = {1, 0, 0, 1},
                             .label_columns = 2,
                             .lines = {2, 3},
                             .source = {}};
  const std::vector<std::uint32_t> examples = {1};
  const PackedBatch batch = pack(dataset, examples);
  EXPECT_EQ(batch.labels, (std::vector<float>{0, 1}));
  EXPECT_EQ(batch.label_columns, 2);
}

TEST(PackedBatch, MayBeEmpty) {
  const PackedBatch batch =
      pack({.ids = {}, .segments = {}, .starts = {0}, .labels = {}, .lines = {}, .source = {}}, {});
  EXPECT_EQ(batch.tokens(), 0);
  EXPECT_EQ(batch.starts, std::vector<std::int32_t>{0});
}

}  // namespace
}  // namespace tandem
