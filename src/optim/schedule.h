#pragma once
// The learning rate of each update.

#include <cstdint>

namespace tandem {

// Linear decay to zero after a linear warm-up, as transformers' get_linear_schedule_with_warmup.
struct LinearSchedule {
  double peak = 5e-5;
  std::int64_t warmup_steps = 0;
  std::int64_t total_steps = 1;

  // Of update `step`, from 0.
  double at(std::int64_t step) const;
};

}  // namespace tandem
