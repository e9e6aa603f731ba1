#include "cli/launch_restarts.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <ctime>

#include "base/error.h"
#include "base/log.h"
#include "cli/launch_run.h"

namespace tandem {
namespace {

bool is_lost(const ForegroundEnd& end) {
  constexpr std::array kOwnReasons = {ExitCode::kDone,   ExitCode::kUsage, ExitCode::kData,
                                      ExitCode::kModel,  ExitCode::kWall,  ExitCode::kInterrupted,
                                      ExitCode::kMachine};
  return !end.asked_to_end && std::ranges::none_of(kOwnReasons, [&](ExitCode code) {
    return end.code == static_cast<int>(code);
  });
}

// A host that was taken away may need a moment to be seen to be gone, or to be there again.
void pause_before(int restart) {
  constexpr int kLongest = 60;
  const timespec pause{.tv_sec = std::min(kLongest, 2 << std::min(restart, 5)), .tv_nsec = 0};
  nanosleep(&pause, nullptr);
}

}  // namespace

void add_restart_flags(CLI::App& command, RestartFlags& flags) {
  command
      .add_option("--max-restarts", flags.max_restarts,
                  "how often a job that lost a process or a host is started again, from its last "
                  "checkpoint and with the hosts that answer")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  command.add_option("--min-hosts", flags.min_hosts, "with fewer hosts it isn't started again")
      ->check(CLI::Range(1, static_cast<int>(kMaxHosts)))
      ->capture_default_str();
}

int launch_with_restarts(const LaunchFlags& flags, const RestartFlags& restarts) {
  LaunchFlags now = flags;
  for (int restart = 0;; ++restart) {
    const ForegroundEnd end = run_launch(plan_launch(now));
    if (!is_lost(end) || restart == restarts.max_restarts) return end.exit_code();
    log_warning("the job ended with {}: a process or a host was lost; restart {} of {}", end.code,
                restart + 1, restarts.max_restarts);
    pause_before(restart);
    if (restart > 0) continue;
    now.min_hosts = restarts.min_hosts;
    if (!read_train_command(flags.command, "tandem launch --hostfile HOSTS").resume.asked) {
      now.command.insert(now.command.end(), {"--resume-from-checkpoint", "auto"});
    }
  }
}

}  // namespace tandem
