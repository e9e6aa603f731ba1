#include "optim/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.h"

namespace tandem {
namespace {

double as_double(std::int64_t steps) { return static_cast<double>(steps); }

double at_least_one(std::int64_t steps) { return as_double(std::max<std::int64_t>(1, steps)); }

// From 1 down to 0 and up again, `cycles` times.
double cosine(double cycles, double progress) {
  return 0.5 * (1 + std::cos(std::numbers::pi * cycles * 2 * progress));
}

std::int64_t stable_steps_of(const Schedule& schedule) {
  const ScheduleShape& shape = schedule.shape;
  return shape.num_stable_steps.value_or(schedule.total_steps - schedule.warmup_steps -
                                         shape.num_decay_steps.value_or(0));
}

}  // namespace

double Schedule::at(std::int64_t step) const { return peak * factor(step); }

double Schedule::factor(std::int64_t step) const {
  if (shape.type == ScheduleType::kConstant) return 1;
  if (shape.type == ScheduleType::kWarmupStableDecay) return warmup_stable_decay(step);
  if (step < warmup_steps) return as_double(step) / at_least_one(warmup_steps);
  const double progress = as_double(step - warmup_steps) / at_least_one(total_steps - warmup_steps);
  switch (shape.type) {
    case ScheduleType::kLinear:
      return std::max(0.0,
                      as_double(total_steps - step) / at_least_one(total_steps - warmup_steps));
    case ScheduleType::kCosine:
      return std::max(0.0, cosine(shape.num_cycles, progress));
    case ScheduleType::kCosineWithRestarts:
      if (progress >= 1) return 0;
      return std::max(0.0, cosine(0.5, std::fmod(shape.num_cycles * progress, 1.0)));
    case ScheduleType::kPolynomial: {
      const double end = shape.lr_end / peak;
      if (step >= total_steps) return end;
      return (1 - end) * std::pow(1 - progress, shape.power) + end;
    }
    case ScheduleType::kInverseSqrt: {
      const std::int64_t scale = shape.timescale.value_or(warmup_steps > 0 ? warmup_steps : 10'000);
      return 1 / std::sqrt(as_double(step + scale - warmup_steps) / as_double(scale));
    }
    case ScheduleType::kConstant:
    case ScheduleType::kConstantWithWarmup:
    case ScheduleType::kWarmupStableDecay:
      break;
  }
  return 1;
}

double Schedule::warmup_stable_decay(std::int64_t step) const {
  const auto above_minimum = [&](double share) {
    return std::max(0.0, share * (1 - shape.min_lr_ratio) + shape.min_lr_ratio);
  };
  if (step < warmup_steps) {
    const double progress = as_double(step) / at_least_one(warmup_steps);
    if (shape.warmup == Ramp::kLinear) return above_minimum(progress);
    if (shape.warmup == Ramp::kCosine) return above_minimum(1 - cosine(0.5, progress));
    return above_minimum(1 - std::sqrt(1 - progress));
  }
  const std::int64_t into_decay = step - warmup_steps - stable_steps_of(*this);
  if (into_decay < 0) return 1;
  const std::int64_t decay_steps = shape.num_decay_steps.value_or(0);
  if (into_decay >= decay_steps) return shape.min_lr_ratio;
  const double progress = as_double(into_decay) / at_least_one(decay_steps);
  if (shape.decay == Ramp::kLinear) return above_minimum(1 - progress);
  if (shape.decay == Ramp::kCosine) return above_minimum(cosine(shape.num_cycles, progress));
  return above_minimum(1 - std::sqrt(progress));
}

void check_schedule(const Schedule& schedule) {
  const ScheduleShape& shape = schedule.shape;
  if (shape.type == ScheduleType::kPolynomial && shape.lr_end >= schedule.peak) {
    throw UsageError(
        "--lr-scheduler-kwargs: lr_end {} must be below --learning-rate {}; name a smaller one, "
        "as in '{{\"lr_end\": 0}}'",
        shape.lr_end, schedule.peak);
  }
  if (shape.type == ScheduleType::kWarmupStableDecay && stable_steps_of(schedule) < 0) {
    throw UsageError(
        "--lr-scheduler-kwargs: {} updates of warm-up and {} of decay are more than the {} that "
        "there are; a smaller num_decay_steps fits",
        schedule.warmup_steps, shape.num_decay_steps.value_or(0), schedule.total_steps);
  }
}

}  // namespace tandem
