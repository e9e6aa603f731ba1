#include "cluster/foreground.h"

#include <array>
#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"

namespace tandem {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

// As nohup has it for SIGHUP: then it is to be ignored by the program as well.
bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

sigset_t awaited_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : kSignals) {
    if (!is_ignored(signal)) sigaddset(&signals, signal);
  }
  sigaddset(&signals, SIGCHLD);
  return signals;
}

// While this lives, the signals wait for wait_for_end() instead of reaching a handler.
class HeldSignals {
 public:
  HeldSignals() : signals_(awaited_signals()) {
    // An ignored SIGCHLD, which a parent may have left behind, would lose the exit code.
    std::signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_BLOCK, &signals_, &before_);
  }
  ~HeldSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  const sigset_t& all() const { return signals_; }
  const sigset_t& before() const { return before_; }

 private:
  sigset_t signals_, before_;
};

// What the child does, with nothing but calls that are allowed between fork and exec: becomes the
// program, or writes errno to `report`. Should this process be killed, the program is asked to end.
[[noreturn]] void become(char* const* arguments, const HeldSignals& held, const char* log,
                         pid_t parent, int report) {
  constexpr mode_t kMode = 0666;  // less the umask, as of any file
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  sigprocmask(SIG_SETMASK, &held.before(), nullptr);
  const int file = log == nullptr ? -1 : open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode);
  const bool redirected = log == nullptr || (file >= 0 && dup2(file, STDOUT_FILENO) >= 0 &&
                                             dup2(file, STDERR_FILENO) >= 0);
  // It may have been killed before this one could be told.
  if (redirected && getppid() == parent) execvp(arguments[0], arguments);
  const int error = errno;
  [[maybe_unused]] const auto written = write(report, &error, sizeof error);
  _exit(127);
}

pid_t start(const std::vector<std::string>& words, const HeldSignals& held,
            const std::filesystem::path& log) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw MachineError("{} cannot be started: {}", words.front(), errno_text(errno));
  }
  const FileDescriptor reading(ends[0]);
  FileDescriptor writing(ends[1]);
  const pid_t parent = getpid();
  const pid_t id = fork();
  if (id == 0) {
    become(arguments.data(), held, log.empty() ? nullptr : log.c_str(), parent, writing.get());
  }
  int error = id < 0 ? errno : 0;
  writing = FileDescriptor();  // so that the other end sees when the program has taken over
  if (id > 0 && read(reading.get(), &error, sizeof error) > 0) waitpid(id, nullptr, 0);
  if (error != 0) {
    throw MachineError("{} cannot be started: {}", words.front(), errno_text(error));
  }
  return id;
}

bool asks_to_end(int signal) { return signal == SIGINT || signal == SIGTERM || signal == SIGHUP; }

// What the program gets for a signal that asks this one to end, the `count`th of them.
int passed_on(int signal, int count, int first_signal) {
  if (count == 1) return first_signal != 0 ? first_signal : signal;
  return count == 2 ? SIGTERM : SIGKILL;
}

ForegroundEnd wait_for_end(pid_t id, const HeldSignals& held, int first_signal) {
  int asked_to_end = 0;
  while (true) {
    int signal = 0;
    if (sigwait(&held.all(), &signal) != 0) continue;
    if (signal == SIGCHLD) {
      int status = 0;
      if (waitpid(id, &status, WNOHANG) != id) continue;
      return {.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
              .asked_to_end = asked_to_end > 0};
    }
    if (asks_to_end(signal)) signal = passed_on(signal, ++asked_to_end, first_signal);
    kill(id, signal);
  }
}

}  // namespace

ForegroundEnd run_in_foreground(const std::vector<std::string>& words, int first_signal,
                                const std::filesystem::path& log) {
  TANDEM_CHECK(!words.empty(), "no program");
  const HeldSignals held;
  return wait_for_end(start(words, held, log), held, first_signal);
}

TemporaryFile::TemporaryFile(std::string_view content) {
  std::string name = std::filesystem::temp_directory_path() / "tandem-hosts-XXXXXX";
  const FileDescriptor file(mkstemp(name.data()));
  if (file.get() < 0) throw WallError("{} cannot be written: {}", name, errno_text(errno));
  path_ = name;
  while (!content.empty()) {
    const ssize_t bytes = write(file.get(), content.data(), content.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) {
      const std::string reason = errno_text(errno);
      unlink(path_.c_str());
      throw WallError("{} cannot be written: {}", name, reason);
    }
    content.remove_prefix(static_cast<std::size_t>(bytes));
  }
}

TemporaryFile::~TemporaryFile() { unlink(path_.c_str()); }

}  // namespace tandem
