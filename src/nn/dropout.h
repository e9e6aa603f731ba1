#pragma once
// Where dropout is applied, and with which probability.

#include <cmath>
#include <cstdint>

#include "kernels/table.h"

namespace tandem {

// The places in a layer that draw masks of their own.
enum class DropoutSite : std::uint32_t {
  kEmbeddings = 0,
  kAttentionProbabilities = 1,
  kAttentionOutput = 2,
  kOutput = 3,
  kClassifier = 4,
};

// One step's dropout. Masks depend on the seed, the step, the sample and the place alone.
struct Dropout {
  bool enabled = false;  // false in evaluation
  std::uint64_t seed = 0;
  std::uint32_t step = 0;

  kernels::DropoutKey key(float probability, DropoutSite site, std::int64_t layer = 0) const {
    const bool active = enabled && probability > 0;
    return {
        .seed = {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
        .step = step,
        .site = static_cast<std::uint32_t>(layer) << 8 | static_cast<std::uint32_t>(site),
        .threshold = active ? static_cast<std::uint32_t>(std::ldexp(double{probability}, 32)) : 0U,
        .scale = active ? 1 / (1 - probability) : 1.0F};
  }
};

}  // namespace tandem
