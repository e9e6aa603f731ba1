#pragma once
// One piece of work at a time that goes on beside the caller.

#include <atomic>
#include <exception>
#include <functional>
#include <memory>

#include "base/thread.h"

namespace tandem {

class BackgroundTask {
 public:
  BackgroundTask() = default;
  // Waits for the work; what went wrong in it is lost.
  ~BackgroundTask() = default;
  BackgroundTask(const BackgroundTask&) = delete;
  BackgroundTask& operator=(const BackgroundTask&) = delete;

  // Comes after wait(). Throws MachineError when no thread can be started.
  void start(std::function<void()> body);
  // Returns once nothing is going on. Throws what the work threw, once.
  void wait();
  // Throws what the work threw, if it has ended; doesn't wait for it.
  void check();

 private:
  std::exception_ptr failure_;
  std::atomic<bool> ended_{true};
  std::unique_ptr<BackgroundThread> thread_;  // last: it uses the others
};

}  // namespace tandem
