#pragma once
// A program that takes this one's place until it ends: an MPI launcher.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace tandem {

struct ForegroundEnd {
  int code = 0;  // its exit code, or 128 plus the signal that ended it, as a shell has it
  bool asked_to_end = false;  // by a signal to this process

  // Programs aren't agreed on what they return when they were asked to end.
  int exit_code() const {
    return asked_to_end && code == 0 ? static_cast<int>(ExitCode::kInterrupted) : code;
  }
};

// Runs `words` with this process's own standard input, output and error until it ends; with a `log`
// output and error go to that file. Signals that reach this process are passed on: of those that
// ask it to end (SIGINT, SIGTERM, SIGHUP) the first as `first_signal`, or as itself where that is
// 0, the second as SIGTERM and the third as SIGKILL; SIGUSR1 and SIGUSR2 as they are. The program
// is in a process group of its own, so that a Ctrl-C reaches it only in this way, and gets a
// SIGTERM when this process is killed. For a process with one thread. Throws MachineError when it
// can't be started.
ForegroundEnd run_in_foreground(const std::vector<std::string>& words, int first_signal = 0,
                                const std::filesystem::path& log = {});

// A file that only its owner may read, in the directory for temporary files; gone with this object.
class TemporaryFile {
 public:
  // Throws WallError when it can't be written.
  explicit TemporaryFile(std::string_view content);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace tandem
