#pragma once
// The errors that end a run, each with the exit code that scripts can rely on.
//
// A message is one line: where (file, line, column, tensor, host), what was expected, what was
// found, and the command or edit that mends it. Lower case, no exclamation mark.

#include <stdexcept>
#include <string>

#include <fmt/format.h>

namespace tandem {

// What the process exits with. The numbers are part of the command line's contract.
enum class ExitCode : int {
  kDone = 0,
  kUsage = 2,         // wrong usage: a flag, a combination of flags
  kData = 3,          // bad data: a table, a label, a text
  kModel = 4,         // bad model or checkpoint
  kMachine = 5,       // the machine or cluster is not fit for the job
  kPeer = 6,          // a peer was lost or stood still
  kWall = 7,          // the run hit a wall (disk full, a loss that isn't finite)
  kInterrupted = 75,  // interrupted; what was reached is saved
};

class Error : public std::runtime_error {
 public:
  Error(ExitCode exit_code, const std::string& message)
      : std::runtime_error(message), exit_code_(exit_code) {}
  ExitCode exit_code() const { return exit_code_; }

 private:
  ExitCode exit_code_;
};

// One class for each exit code, constructed like fmt::format:
//   throw DataError("{}:{}: expected {} fields, found {}", path, line, 5, 3);
template <ExitCode kCode>
class CodedError : public Error {
 public:
  template <class... Args>
  explicit CodedError(fmt::format_string<Args...> format, Args&&... args)
      : Error(kCode, fmt::format(format, std::forward<Args>(args)...)) {}
};

using UsageError = CodedError<ExitCode::kUsage>;
using DataError = CodedError<ExitCode::kData>;
using ModelError = CodedError<ExitCode::kModel>;
using MachineError = CodedError<ExitCode::kMachine>;
using PeerError = CodedError<ExitCode::kPeer>;
using WallError = CodedError<ExitCode::kWall>;

// Prints "file:line: check failed: condition: message" and aborts: a bug of ours, not the user's.
[[noreturn]] void check_failed(const char* file, int line, const char* condition,
                               const std::string& message);

// The text of errno value `number`, e.g. "no space left on device".
std::string errno_text(int number);

}  // namespace tandem

// Kept in release builds. TANDEM_CHECK(a == b, "a is {}, b is {}", a, b);
#define TANDEM_CHECK(condition, ...)                                                      \
  do {                                                                                    \
    if (!(condition)) {                                                                   \
      ::tandem::check_failed(__FILE__, __LINE__, #condition, ::fmt::format(__VA_ARGS__)); \
    }                                                                                     \
  } while (false)
