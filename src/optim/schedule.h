#pragma once
// The learning rate of each update, by the schedules of transformers (optimization.py of 5.24).

#include <cstdint>
#include <optional>

namespace tandem {

enum class ScheduleType {
  kLinear,
  kCosine,
  kCosineWithRestarts,
  kPolynomial,
  kConstant,
  kConstantWithWarmup,
  kInverseSqrt,
  kWarmupStableDecay,
};

// How a rate rises or falls between two values.
enum class Ramp { kLinear, kCosine, kOneMinusSqrt };

// Which schedule, with the reference's names and defaults for what only some of them have.
struct ScheduleShape {
  ScheduleType type = ScheduleType::kLinear;
  double num_cycles = 0.5;  // waves of a cosine; of kCosineWithRestarts the restarts, usually 1
  double lr_end = 1e-7;     // polynomial: the last rate
  double power = 1;         // polynomial
  std::optional<std::int64_t> timescale =
      {};  // inverse square root; nothing: the warm-up, or 10000
  // Warm-up, stable, decay. num_decay_steps must be there; nothing for the stable ones: the rest.
  std::optional<std::int64_t> num_decay_steps = {}, num_stable_steps = {};
  Ramp warmup = Ramp::kLinear, decay = Ramp::kCosine;
  double min_lr_ratio = 0;  // of the peak: where warm-up starts and decay ends
};

// Rises from zero to the peak over the warm-up (kConstant has none), then goes on as the shape
// says.
struct Schedule {
  double peak = 5e-5;
  std::int64_t warmup_steps = 0;
  std::int64_t total_steps = 1;
  ScheduleShape shape = {};

  // Of update `step`, from 0.
  double at(std::int64_t step) const;

 private:
  double factor(std::int64_t step) const;  // of the peak
  double warmup_stable_decay(std::int64_t step) const;
};

// Throws UsageError for what no rate can be computed by: a polynomial that ends at lr_end or above
// its peak, and stages that are longer than the training.
void check_schedule(const Schedule& schedule);

}  // namespace tandem
