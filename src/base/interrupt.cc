#include "base/interrupt.h"

#include <atomic>
#include <csignal>
#include <string_view>

#include <unistd.h>

#include "base/error.h"

namespace tandem {
namespace {

// A signal handler can reach nothing but a global; this is the program's only one.
std::atomic<bool> interrupt_came{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void say(std::string_view text) {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), text.size());
}

void handle_signal(int) {
  if (interrupt_came.exchange(true)) {
    say("\ninterrupted again: ending at once\n");
    _exit(static_cast<int>(ExitCode::kInterrupted));
  }
  say("\ninterrupted: ending in good order; once more ends at once\n");
}

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = handle_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() { return interrupt_came.load(); }

void throw_if_interrupted(std::string_view work) {
  if (interrupted()) throw Error(ExitCode::kInterrupted, fmt::format("interrupted while {}", work));
}

}  // namespace tandem
