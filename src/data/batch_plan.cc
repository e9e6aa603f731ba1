#include "data/batch_plan.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/error.h"
#include "base/philox.h"

namespace tandem {
namespace {

// Four rounds of a Feistel network make a pseudorandom permutation of a large domain (Luby and
// Rackoff 1988); small domains, of a few bits a half, need more to come near it.
constexpr std::uint32_t kRounds = 10;

// Sets these numbers apart from all others that are drawn with the run's seed as their key.
constexpr std::uint32_t kPurpose = 0x6F726465;  // "orde"

// A permutation of [0, 4^half_bits) that depends on seed and epoch.
class FeistelNetwork {
 public:
  FeistelNetwork(std::uint64_t seed, std::uint64_t epoch, int half_bits)
      : seed_(seed), epoch_(epoch), half_bits_(half_bits) {}

  std::uint64_t operator()(std::uint64_t value) const {
    const std::uint32_t mask = static_cast<std::uint32_t>((std::uint64_t{1} << half_bits_) - 1);
    auto left = static_cast<std::uint32_t>(value >> half_bits_);
    auto right = static_cast<std::uint32_t>(value) & mask;
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      const std::uint32_t mixed = left ^ (round_function(right, round) & mask);
      left = right;
      right = mixed;
    }
    return (std::uint64_t{left} << half_bits_) | right;
  }

 private:
  std::uint32_t round_function(std::uint32_t half, std::uint32_t round) const {
    const auto low = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
    return philox4x32({half, low(epoch_), low(epoch_ >> 32) ^ (round << 24), kPurpose},
                      {low(seed_), low(seed_ >> 32)})[0];
  }

  std::uint64_t seed_, epoch_;
  int half_bits_;
};

}  // namespace

std::int64_t BatchPlan::steps_per_epoch() const {
  TANDEM_CHECK(examples >= 0 && batch_size > 0, "{} examples in batches of {}", examples,
               batch_size);
  return (examples_per_epoch() + batch_size - 1) / batch_size;
}

std::vector<std::uint32_t> BatchPlan::examples_of_step(std::int64_t step) const {
  TANDEM_CHECK(step >= 0 && steps_per_epoch() > 0, "step {} of {} in an epoch", step,
               steps_per_epoch());
  TANDEM_CHECK(examples <= std::numeric_limits<std::uint32_t>::max(), "{} examples", examples);
  const std::int64_t epoch = step / steps_per_epoch();
  const std::int64_t begin = step % steps_per_epoch() * batch_size;
  const std::int64_t end = std::min(begin + batch_size, examples_per_epoch());

  // The smallest even number of bits, at least 2, that counts all examples.
  const auto size = static_cast<std::uint64_t>(examples);
  const int half_bits = std::max(1, (static_cast<int>(std::bit_width(size - 1)) + 1) / 2);
  const FeistelNetwork permute(seed, static_cast<std::uint64_t>(epoch), half_bits);
  std::vector<std::uint32_t> chosen;
  chosen.reserve(static_cast<std::size_t>(end - begin));
  for (std::int64_t place = begin; place < end; ++place) {
    if (order == SampleOrder::kSequential) {
      chosen.push_back(static_cast<std::uint32_t>(place));
      continue;
    }
    // Cycle walking: what falls outside [0, N) is permuted again. The walk ends, since the cycle
    // leads back to `place` at the latest, and two places never meet.
    std::uint64_t value = permute(static_cast<std::uint64_t>(place));
    while (value >= size) value = permute(value);
    chosen.push_back(static_cast<std::uint32_t>(value));
  }
  return chosen;
}

}  // namespace tandem
