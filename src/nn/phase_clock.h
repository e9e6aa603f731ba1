#pragma once
// Where a training step's time goes.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tandem {

enum class Phase {
  kEmbeddings,
  kQkv,
  kAttention,
  kAttentionOutput,
  kIntermediate,
  kGelu,
  kOutput,
  kLayerNorm,
  kHead,
  kLoss,
  kCommunication,
  kClipping,
  kAdamW,
};
enum class Pass { kForward, kBackward, kUpdate };

std::string_view name_of(Phase);
std::string_view name_of(Pass);

// From the start of one phase to the start of the next, on the thread that runs the step.
struct Lap {
  Phase phase;
  Pass pass;
  double start = 0, end = 0;      // seconds since the clock was made
  double flops = 0;               // of matrix products, attention's too
  double bytes = 0;               // read and written, each operand once
  double activation_seconds = 0;  // of which in GELU, done tile by tile inside the product
};

// What all laps of one phase and pass come to.
struct PhaseTotal {
  Phase phase;
  Pass pass;
  double seconds = 0, flops = 0, bytes = 0;
};

// A lap clock: a step always is in one phase. Only the thread that runs the step calls it.
class PhaseClock {
 public:
  // `threads`: those that work at the same time, to turn their time into the step's.
  explicit PhaseClock(int threads) : threads_(threads) {}

  // Ends the open lap, if any, and starts one. `bytes` as Lap has it, without the products'.
  void enter(Phase, Pass, double bytes = 0);
  void leave();
  // Adds to the open lap.
  void count(double flops, double bytes);
  // On any thread: the time until its end belongs to GELU, inside of the open lap. Nothing without
  // a clock.
  class ActivationTime {
   public:
    explicit ActivationTime(PhaseClock* clock);
    ~ActivationTime();
    ActivationTime(const ActivationTime&) = delete;
    ActivationTime& operator=(const ActivationTime&) = delete;

   private:
    PhaseClock* clock_;
    std::chrono::steady_clock::time_point start_;
  };

  std::span<const Lap> laps() const { return laps_; }
  // In the order of the phases and passes. GELU's time inside of products is its own.
  std::vector<PhaseTotal> totals() const;

 private:
  double now() const;

  int threads_;
  std::chrono::steady_clock::time_point made_ = std::chrono::steady_clock::now();
  std::vector<Lap> laps_;
  bool open_ = false;
  std::atomic<std::int64_t> activation_nanoseconds_{0};
};

}  // namespace tandem
