#pragma once
// Sums gradients over all ranks while backward still computes those below.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/thread.h"
#include "comm/collectives.h"
#include "kernels/table.h"
#include "nn/params.h"
#include "train/wire.h"

namespace tandem {

struct ReducerOptions {
  WireType wire = WireType::kBf16;
  // Of one piece. Small ones overlap better, large ones cost less a byte.
  std::int64_t piece_floats = 1 << 20;
  int pieces_in_flight = 4;
  Deadline deadline = kUsualDeadline;
};

// What communication came to in one step.
struct ReducerStatistics {
  double exposed_seconds = 0;  // the computing threads waited, after backward
  double cpu_seconds = 0;      // of the communicating thread
  std::int64_t bytes_sent = 0;
};

// A thread of its own sends pieces of the flat gradient array as they become final, in the array's
// order on every rank, so that nothing has to be agreed upon. The array's last parameter is the
// word embedding, of which only rows that a batch touches are sent, at the end.
class GradientReducer {
 public:
  // `gradients` in the table's order.
  GradientReducer(Communicator&, const kernels::Table&, const ParamTable&,
                  std::span<float> gradients, const ReducerOptions&);
  ~GradientReducer();
  GradientReducer(const GradientReducer&) = delete;
  GradientReducer& operator=(const GradientReducer&) = delete;

  // Memory that one takes, in bytes; an estimate from above.
  static std::int64_t planned_bytes(const ReducerOptions&);

  // A step's begin: the token ids of this rank's part of the batch.
  void begin(std::vector<std::int32_t> ids);
  // Everything below this many floats is final on this rank.
  void ready(std::int64_t floats);
  // Everything is final on this rank; waits until the array holds the sums over all ranks. Throws
  // what went wrong on the communicating thread: PeerError.
  ReducerStatistics finish();

 private:
  class Run;
  template <class W>
  class TypedRun;
  void communicate();

  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  std::vector<std::int32_t> ids_;
  std::int64_t ready_floats_ = 0;
  bool step_open_ = false;
  std::exception_ptr failure_;
  ReducerStatistics statistics_;

  std::atomic<bool> stopping_{false};
  std::unique_ptr<Run> run_;
  std::int64_t floats_;
  std::unique_ptr<BackgroundThread> thread_;  // last: it uses all of the above
};

}  // namespace tandem
