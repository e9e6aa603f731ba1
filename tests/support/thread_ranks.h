#pragma once
// A job of several ranks within one process: a thread for each, with a communicator of its own.

#include <functional>
#include <stdexcept>
#include <string>

#include "comm/communicator.h"

namespace tandem {

// What Communicator::abort throws here, where it can't end the process.
class JobAborted : public std::runtime_error {
 public:
  explicit JobAborted(int exit_code)
      : std::runtime_error("aborted with exit code " + std::to_string(exit_code)),
        exit_code_(exit_code) {}
  int exit_code() const { return exit_code_; }

 private:
  int exit_code_;
};

// body(communicator) on `ranks` threads at once; returns when all have returned. Nothing moves
// until all ranks have started an operation and one of them has asked whether it is done. Sizes and
// kinds of operations that don't fit together end the process. When a body throws, returns while
// others wait for it, or abandons an operation, the others' operations throw PeerError. The
// exception that came first is thrown again.
void run_ranks(int ranks, const std::function<void(Communicator&)>& body);

}  // namespace tandem
