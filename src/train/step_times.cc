#include "train/step_times.h"

#include <utility>

namespace tandem {
namespace {

constexpr std::int64_t kLeftOut = 3;
constexpr std::size_t kMostSteps = 10'000;

}  // namespace

double Stopwatch::lap() {
  const auto now = std::chrono::steady_clock::now();
  const std::chrono::duration<double> elapsed = now - std::exchange(last_, now);
  return elapsed.count();
}

void SpeedRecord::add(const StepTimes& times, std::int64_t examples, std::int64_t tokens) {
  if (++seen_ <= kLeftOut || steps_.size() == kMostSteps) return;
  steps_.push_back(times);
  examples_ += examples;
  tokens_ += tokens;
}

}  // namespace tandem
