#pragma once
// The mean of numbers that come one by one.

#include <cstdint>

namespace tandem {

struct RunningMean {
  double sum = 0;
  std::int64_t count = 0;
  void add(double value) {
    sum += value;
    ++count;
  }
  double mean() const { return sum / static_cast<double>(count); }
};

}  // namespace tandem
