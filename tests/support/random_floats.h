#pragma once
// Reproducible numbers for tests.

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "base/bf16.h"
#include "base/philox.h"

namespace tandem::testing {

// Normally distributed with the given standard deviation; another sequence for each seed.
inline std::vector<float> random_floats(std::int64_t count, std::uint32_t seed,
                                        float deviation = 1) {
  std::vector<float> numbers(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto words = philox4x32({static_cast<std::uint32_t>(i), 0, 0, 0}, {seed, 77});
    const double u = (words[0] + 0.5) / 4294967296.0;
    const double v = words[1] / 4294967296.0;
    numbers[i] = static_cast<float>(double{deviation} * std::sqrt(-2 * std::log(u)) *
                                    std::cos(2 * std::numbers::pi * v));
  }
  return numbers;
}

// The same numbers, rounded to T.
template <class T>
std::vector<T> random_values(std::int64_t count, std::uint32_t seed, float deviation = 1) {
  std::vector<T> values;
  values.reserve(static_cast<std::size_t>(count));
  for (const float number : random_floats(count, seed, deviation)) {
    values.push_back(round_to<T>(number));
  }
  return values;
}

}  // namespace tandem::testing
