#include "base/interrupt.h"

#include <atomic>
#include <csignal>
#include <string_view>

#include <unistd.h>

#include "base/error.h"

namespace tandem {
namespace {

enum class State { kEndAtOnce, kEndInGoodOrder, kEnding };

// A signal handler can reach nothing but a global; this is the program's only one.
std::atomic<State> state{State::kEndAtOnce};
static_assert(std::atomic<State>::is_always_lock_free);

void say(std::string_view text) {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), text.size());
}

void handle_signal(int) {
  State before = State::kEndInGoodOrder;
  if (state.compare_exchange_strong(before, State::kEnding)) {
    say("\ninterrupted: ending in good order; once more ends at once\n");
    return;
  }
  say(before == State::kEnding ? "\ninterrupted again: ending at once\n" : "\ninterrupted\n");
  _exit(static_cast<int>(ExitCode::kInterrupted));
}

}  // namespace

void catch_interrupts(OnInterrupt what) {
  state.store(what == OnInterrupt::kEndAtOnce ? State::kEndAtOnce : State::kEndInGoodOrder);
  struct sigaction action {};
  action.sa_handler = handle_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGUSR1, &action, nullptr);
}

bool interrupted() { return state.load() == State::kEnding; }

void throw_if_interrupted(std::string_view work) {
  if (interrupted()) throw Error(ExitCode::kInterrupted, fmt::format("interrupted while {}", work));
}

}  // namespace tandem
