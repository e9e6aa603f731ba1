#include "train/shared_inputs.h"

#include <gtest/gtest.h>

#include "support/thread_ranks.h"
#include "train/step_benchmark.h"

namespace tandem {
namespace {

TEST(SharedInputs, AreTheRootsOnEveryRank) {
  const std::vector<std::int64_t> lengths = {3, 9, 1};
  TokenDataset expected = random_dataset(lengths, 50);
  expected.source = "rows.tsv";
  expected.truncated = 2;
  run_ranks(3, [&](Communicator& communicator) {
    const bool root = communicator.rank() == 0;
    RunOutline outline{};
    std::vector<float> weights(100);
    TokenDataset dataset;
    if (root) {
      outline.config.hidden_size = 48;
      outline.outputs = 3;
      outline.precision = Precision::kBf16;
      outline.trains = true;
      weights.assign(100, 0.25F);
      dataset = expected;
    }
    broadcast_outline(communicator, outline);
    broadcast_weights(communicator, weights);
    broadcast_dataset(communicator, dataset);
    EXPECT_EQ(outline.config.hidden_size, 48);
    EXPECT_EQ(outline.outputs, 3);
    EXPECT_EQ(outline.precision, Precision::kBf16);
    EXPECT_TRUE(outline.trains);
    EXPECT_EQ(weights, std::vector<float>(100, 0.25F));
    EXPECT_EQ(dataset.ids, expected.ids);
    EXPECT_EQ(dataset.segments, expected.segments);
    EXPECT_EQ(dataset.starts, expected.starts);
    EXPECT_EQ(dataset.labels, expected.labels);
    EXPECT_EQ(dataset.lines, expected.lines);
    EXPECT_EQ(dataset.source, "rows.tsv");
    EXPECT_EQ(dataset.truncated, 2);
  });
}

}  // namespace
}  // namespace tandem
