#pragma once
// Other programs, run for their answer: without a shell, with a limit on time and output.

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace tandem {

struct ProcessSpec {
  std::vector<std::string> words;          // a program, found by PATH, and its arguments
  std::size_t max_output_bytes = 1 << 18;  // of either stream; what comes after is dropped
};

struct ProcessResult {
  enum class End {
    kExited,      // `code` is its exit code
    kSignalled,   // `code` is the signal
    kTimedOut,    // it was still running at the deadline and has been ended
    kNotStarted,  // `code` is the errno value
  };
  End end = End::kNotStarted;
  int code = 0;
  std::string out, err;

  bool succeeded() const { return end == End::kExited && code == 0; }
};

// Starts all at the same time, with empty standard input and each in a process group of its own,
// and returns when all have ended; at the deadline the groups of those that haven't are killed.
// Doesn't wait for other processes that hold the output open after the program itself has ended.
// Results are in the order of `specs`. Throws MachineError when pipes can't be had.
std::vector<ProcessResult> run_all(const std::vector<ProcessSpec>& specs,
                                   std::chrono::milliseconds deadline);

// The same for one.
ProcessResult run_one(const ProcessSpec& spec, std::chrono::milliseconds deadline);

}  // namespace tandem
