#include "data/batch_plan.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <gtest/gtest.h>

namespace tandem {
namespace {

using Examples = std::vector<std::uint32_t>;

Examples epoch_order(const BatchPlan& plan, std::int64_t epoch) {
  Examples order;
  for (std::int64_t step = 0; step < plan.steps_per_epoch(); ++step) {
    const Examples batch = plan.examples_of_step(epoch * plan.steps_per_epoch() + step);
    order.insert(order.end(), batch.begin(), batch.end());
  }
  return order;
}

TEST(BatchPlan, VisitsEachExampleOnceAnEpoch) {
  for (const std::int64_t size : {1, 2, 3, 4, 5, 10, 64, 65, 3668}) {
    for (const std::int64_t epoch : {0, 1, 2, 1000000}) {
      Examples order = epoch_order({.examples = size, .batch_size = 7}, epoch);
      std::sort(order.begin(), order.end());
      Examples all(static_cast<std::size_t>(size));
      std::iota(all.begin(), all.end(), 0U);
      EXPECT_EQ(order, all) << size << " examples, epoch " << epoch;
    }
  }
}

TEST(BatchPlan, OrdersEachEpochAndSeedAnew) {
  const BatchPlan plan{.examples = 3668, .seed = 1};
  EXPECT_EQ(epoch_order(plan, 0), epoch_order(plan, 0));
  EXPECT_NE(epoch_order(plan, 0), epoch_order(plan, 1));
  EXPECT_NE(epoch_order(plan, 0), epoch_order({.examples = 3668, .seed = 2}, 0));
  EXPECT_NE(epoch_order(plan, 0), epoch_order({.examples = 3668, .seed = (1ULL << 40) + 1}, 0));
}

TEST(BatchPlan, OrderDoesNotDependOnTheBatchSize) {
  EXPECT_EQ(epoch_order({.examples = 100, .batch_size = 1}, 3),
            epoch_order({.examples = 100, .batch_size = 32}, 3));
}

TEST(BatchPlan, EndsAnEpochWithASmallerBatchOrWithoutIt) {
  const BatchPlan plan{.examples = 10, .batch_size = 4};
  EXPECT_EQ(plan.steps_per_epoch(), 3);
  EXPECT_EQ(plan.examples_of_step(1).size(), 4);
  EXPECT_EQ(plan.examples_of_step(2).size(), 2);
  EXPECT_EQ(plan.examples_of_step(3).size(), 4);
  const BatchPlan whole{.examples = 10, .batch_size = 4, .whole_multiple_of = 4};
  EXPECT_EQ(whole.steps_per_epoch(), 2);
  EXPECT_EQ(whole.examples_of_step(2), plan.examples_of_step(3));
  // Micro-batches of 2, two an update: ten examples are five micro-batches, and so three updates.
  const BatchPlan micro{.examples = 11, .batch_size = 4, .whole_multiple_of = 2};
  EXPECT_EQ(micro.steps_per_epoch(), 3);
  EXPECT_EQ(micro.examples_of_step(2).size(), 2);
  const BatchPlan none{.examples = 3, .batch_size = 4, .whole_multiple_of = 4};
  EXPECT_EQ(none.steps_per_epoch(), 0);
  EXPECT_EQ((BatchPlan{.examples = 0}).steps_per_epoch(), 0);
}

// Chi-squared against the uniform distribution, as a z-score: (chi² - d) / sqrt(2 d) for d degrees
// of freedom. Below 4 is to be expected for all but one in 10,000 orders.
double uniformity(const std::vector<double>& counts) {
  const double expected =
      std::accumulate(counts.begin(), counts.end(), 0.0) / static_cast<double>(counts.size());
  double chi_squared = 0;
  for (const double count : counts) {
    chi_squared += (count - expected) * (count - expected) / expected;
  }
  const double freedom = static_cast<double>(counts.size()) - 1;
  return (chi_squared - freedom) / std::sqrt(2 * freedom);
}

TEST(BatchPlan, ReachesEveryOrderOfFewExamplesEquallyOften) {
  for (const std::int64_t size : {2, 3, 4}) {
    const BatchPlan plan{.examples = size};
    std::map<Examples, double> seen;
    for (std::int64_t epoch = 0; epoch < 12000; ++epoch) ++seen[plan.examples_of_step(epoch)];
    std::vector<double> counts;
    for (const auto& [order, count] : seen) counts.push_back(count);
    EXPECT_EQ(counts.size(), size == 2 ? 2 : size == 3 ? 6 : 24);
    EXPECT_LT(uniformity(counts), 4) << size;
  }
}

TEST(BatchPlan, PutsEveryExampleInEveryPlaceEquallyOften) {
  const std::int64_t size = 50;
  const BatchPlan plan{.examples = size, .batch_size = size};
  std::vector<double> places(static_cast<std::size_t>(size * size));
  std::vector<double> neighbours(static_cast<std::size_t>(size));
  for (std::int64_t epoch = 0; epoch < 4000; ++epoch) {
    const Examples order = plan.examples_of_step(epoch);
    for (std::size_t place = 0; place < order.size(); ++place) {
      ++places[place * static_cast<std::size_t>(size) + order[place]];
      const std::uint32_t next = order[(place + 1) % order.size()];
      ++neighbours[(next + static_cast<std::uint32_t>(size) - order[place]) %
                   static_cast<std::uint32_t>(size)];
    }
  }
  EXPECT_LT(uniformity(places), 4);
  neighbours.erase(neighbours.begin());  // none is its own
  EXPECT_LT(uniformity(neighbours), 4);
}

}  // namespace
}  // namespace tandem
