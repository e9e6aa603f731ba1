#pragma once
// The middle of several measurements.

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tandem {

// The upper one of two middles. There must be at least one value.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace tandem
