#pragma once
// Other programs, run for their answer: without a shell, with a limit on time and output.

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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

// Processes that are spoken to, line by line, for as long as this object lives. Standard input ends
// with it, and they are killed.
class Conversations {
 public:
  // Starts all; `specs` and errors are as for run_all.
  explicit Conversations(const std::vector<ProcessSpec>& specs);
  ~Conversations();
  Conversations(const Conversations&) = delete;
  Conversations& operator=(const Conversations&) = delete;

  // Writes a line to one; one that has ended doesn't get it.
  void say(std::size_t which, std::string_view line);

  struct Line {
    std::string text;  // without the mark
    std::chrono::system_clock::time_point heard;
  };
  // The next line that begins with `mark` of each process in `asked`, in that order; other lines
  // are passed over. Nothing for a process that ends, or says none within `deadline`.
  std::vector<std::optional<Line>> hear(const std::vector<std::size_t>& asked,
                                        std::string_view mark, std::chrono::milliseconds deadline);

  // What became of one that said nothing: how it ended, or that it was out of time.
  ProcessResult result(std::size_t which) const;

 private:
  struct Process;
  std::vector<std::unique_ptr<Process>> processes_;
};

}  // namespace tandem
