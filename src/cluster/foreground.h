#pragma once
// A program that takes this one's place until it ends: an MPI launcher.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

// Runs `words` with this process's own standard input, output and error, passes on the signals that
// ask this process to end or to save (SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2), and returns its
// exit code, or 128 plus the signal that ended it, as a shell does. A Ctrl-C reaches both from the
// terminal and isn't passed on again, since launchers take a second one for an order to end at
// once. The third signal to end kills it. For a process with one thread. Throws MachineError when
// it can't be started.
int run_in_foreground(const std::vector<std::string>& words);

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
