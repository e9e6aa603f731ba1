#pragma once
// A learning-rate schedule as --lr-scheduler-type and --lr-scheduler-kwargs name it.

#include <string>
#include <string_view>
#include <vector>

#include "optim/schedule.h"

namespace tandem {

// transformers' names: linear, cosine, ..., warmup_stable_decay.
std::vector<std::string> schedule_names();

// `kwargs` is a JSON object with the reference's keys for that schedule (num_cycles, lr_end, power,
// timescale, num_decay_steps, num_stable_steps, warmup_type, decay_type, min_lr_ratio), or empty.
// Throws UsageError for an unknown name, for text that isn't such an object, for a key that the
// schedule doesn't have, a value out of range, and when num_decay_steps is missing.
ScheduleShape named_schedule(std::string_view name, std::string_view kwargs);

}  // namespace tandem
