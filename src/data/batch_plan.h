#pragma once
// Which examples each update learns from: a pure function, so that nothing has to be saved or
// restored, and so that it doesn't depend on how the work is divided.

#include <cstdint>
#include <vector>

namespace tandem {

enum class SampleOrder : std::uint8_t { kShuffled, kSequential };

struct BatchPlan {
  std::int64_t examples = 0;     // N, size of the data set
  std::int64_t batch_size = 32;  // of one update, over all micro-batches and ranks
  std::uint64_t seed = 42;
  // What is left of an epoch after its last whole multiple of this is left out: the reference's
  // drop_last leaves out an incomplete micro-batch. 1 leaves out nothing.
  std::int64_t whole_multiple_of = 1;
  SampleOrder order = SampleOrder::kShuffled;

  std::int64_t examples_per_epoch() const {
    return examples / whole_multiple_of * whole_multiple_of;
  }
  std::int64_t steps_per_epoch() const;  // 0 when an epoch has no examples
  // The examples of update `step` (from 0, running on over epochs). Each epoch visits each example
  // once, as they are numbered or in an order that depends on (seed, epoch) alone: a Feistel
  // network over [0, N) with Philox as its round function and cycle walking (Black and Rogaway
  // 2002), so that any step's examples are found without shuffling an array.
  std::vector<std::uint32_t> examples_of_step(std::int64_t step) const;
};

}  // namespace tandem
