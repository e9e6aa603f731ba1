#pragma once
// How long a rank's steps take and what with, measured while it trains.

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

namespace tandem {

// Of one step on one rank; seconds on the thread that runs the step.
struct StepTimes {
  double whole = 0;
  double input = 0;    // choosing examples, packing batches
  double compute = 0;  // forward and backward
  // From the end of backward until the sums of all gradients, and all losses, are there.
  double exposed = 0;
  double optimizer = 0;          // clipping and AdamW
  double until_ready = 0;        // from the last moment at which all ranks were together
  double communication_cpu = 0;  // of the communicating thread
  double bytes_sent = 0;
  double cpu = 0;  // CPU time of all threads of the process
};

// Seconds from one call to the next.
class Stopwatch {
 public:
  double lap();

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// The steps of one rank: those of the run's begin are left out, since memory is touched for the
// first time in them, and of a very long run those of its end, since all are kept.
class SpeedRecord {
 public:
  void add(const StepTimes& times, std::int64_t examples, std::int64_t tokens);

  std::span<const StepTimes> steps() const { return steps_; }
  std::int64_t examples() const { return examples_; }  // of these steps, over all ranks
  std::int64_t tokens() const { return tokens_; }

 private:
  std::int64_t seen_ = 0, examples_ = 0, tokens_ = 0;
  std::vector<StepTimes> steps_;
};

}  // namespace tandem
