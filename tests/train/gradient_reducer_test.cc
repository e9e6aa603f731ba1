#include "train/gradient_reducer.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "base/error.h"
#include "kernels/dispatch.h"
#include "support/kernels_under_test.h"
#include "support/random_floats.h"
#include "support/thread_ranks.h"

namespace tandem {
namespace {

using testing::random_floats;

constexpr std::int64_t kRows = 50, kWidth = 24;

// A few parameters, and the word embedding after them.
struct Params {
  Params() {
    table.add("weight", 37, 61, WeightDecay::kYes);
    table.add("bias", 1, 5, WeightDecay::kNo);
    words = table.add("embeddings.word", kRows, kWidth, WeightDecay::kYes);
  }
  ParamTable table;
  ParamSlice words;
};

// Token ids of a rank's batch: some rows are touched by all ranks, some by one.
std::vector<std::int32_t> ids_of(int rank) { return {3, 40, 3, 7 + rank, 49}; }

// A rank's gradients: rows of the word embedding that it doesn't touch are zero.
std::vector<float> gradients_of(const Params& params, int rank, std::uint32_t step) {
  std::vector<float> gradients =
      random_floats(params.table.floats(), 100 * step + static_cast<std::uint32_t>(rank));
  const std::vector<std::int32_t> ids = ids_of(rank);
  for (std::int64_t row = 0; row < kRows; ++row) {
    if (std::ranges::find(ids, row) != ids.end()) continue;
    std::fill_n(gradients.begin() + params.words.offset + row * kWidth, kWidth, 0.0F);
  }
  return gradients;
}

std::vector<double> exact_sum(const Params& params, int ranks, std::uint32_t step) {
  std::vector<double> sum(static_cast<std::size_t>(params.table.floats()));
  for (int rank = 0; rank < ranks; ++rank) {
    const std::vector<float> gradients = gradients_of(params, rank, step);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += double{gradients[i]};
  }
  return sum;
}

// What each rank has after two steps, whose gradients become ready in three parts.
std::vector<std::vector<float>> reduce_on_ranks(int ranks, WireType wire) {
  const Params params;
  std::vector<std::vector<float>> results(static_cast<std::size_t>(ranks));
  run_ranks(ranks, [&](Communicator& communicator) {
    std::vector<float> gradients(static_cast<std::size_t>(params.table.floats()));
    GradientReducer reducer(communicator, kernels::choose_table(testing::kernels_under_test()),
                            params.table, gradients,
                            {.wire = wire, .piece_floats = 300, .pieces_in_flight = 2});
    for (std::uint32_t step = 0; step < 2; ++step) {
      reducer.begin(ids_of(communicator.rank()));
      const std::vector<float> mine = gradients_of(params, communicator.rank(), step);
      const std::int64_t parts[] = {0, 1000, params.words.offset, params.table.floats()};
      for (int part = 0; part < 3; ++part) {
        std::copy(mine.begin() + parts[part], mine.begin() + parts[part + 1],
                  gradients.begin() + parts[part]);
        reducer.ready(parts[part + 1]);
      }
      const ReducerStatistics statistics = reducer.finish();
      EXPECT_EQ(statistics.bytes_sent > 0, ranks > 1);
      EXPECT_GE(statistics.exposed_seconds, 0);
    }
    results[static_cast<std::size_t>(communicator.rank())] = gradients;
  });
  return results;
}

class Wires : public ::testing::TestWithParam<WireType> {};

TEST_P(Wires, EveryRankGetsTheSameSums) {
  for (const int ranks : {1, 2, 3, 4}) {
    const std::vector<std::vector<float>> results = reduce_on_ranks(ranks, GetParam());
    const std::vector<double> expected = exact_sum(Params(), ranks, 1);
    // In bf16 each number is rounded once and the sum once more, by up to 2^-8 of numbers up to 5.
    const double tolerance = GetParam() == WireType::kFp32 ? 1e-5 : 0.02 * (ranks + 1);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_NEAR(results[0][i], expected[i], tolerance) << ranks << " ranks, element " << i;
    }
    for (const std::vector<float>& result : results) EXPECT_EQ(result, results[0]);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Wires, ::testing::Values(WireType::kFp32, WireType::kBf16),
                         [](const auto& wire) {
                           return wire.param == WireType::kFp32 ? "fp32" : "bf16";
                         });

// body(reducer, rank) on two ranks.
template <class Body>
void run_on_two_ranks(const ReducerOptions& options, const Body& body) {
  const Params params;
  run_ranks(2, [&](Communicator& communicator) {
    std::vector<float> gradients(static_cast<std::size_t>(params.table.floats()));
    GradientReducer reducer(communicator, kernels::reference_table(), params.table, gradients,
                            options);
    body(reducer, communicator.rank());
  });
}

TEST(GradientReducer, EndsWhenItIsGivenUpInTheMiddleOfAStep) {
  EXPECT_THROW(run_on_two_ranks({},
                                [](GradientReducer& reducer, int) {
                                  reducer.begin({1, 2});
                                  throw UsageError("something else went wrong");
                                }),
               Error);
}

TEST(GradientReducer, TellsOfALateRank) {
  EXPECT_THROW(run_on_two_ranks({.deadline = Deadline(50)},
                                [](GradientReducer& reducer, int rank) {
                                  if (rank == 1) return;
                                  reducer.begin({1, 2});
                                  reducer.finish();
                                }),
               PeerError);
}

}  // namespace
}  // namespace tandem
