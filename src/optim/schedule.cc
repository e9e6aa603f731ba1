#include "optim/schedule.h"

#include <algorithm>

namespace tandem {

double LinearSchedule::at(std::int64_t step) const {
  const auto current = static_cast<double>(step);
  const auto warmup = static_cast<double>(warmup_steps);
  if (step < warmup_steps) return peak * current / std::max(1.0, warmup);
  const double left = static_cast<double>(total_steps) - current;
  const double decay_steps = std::max(1.0, static_cast<double>(total_steps) - warmup);
  return peak * std::max(0.0, left / decay_steps);
}

}  // namespace tandem
