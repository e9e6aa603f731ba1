#pragma once
// A job that is started again when a host is lost.

#include <CLI/CLI.hpp>

#include "cli/launch_plan.h"

namespace tandem {

struct RestartFlags {
  int max_restarts = 0;
  int min_hosts = 1;
};
void add_restart_flags(CLI::App& command, RestartFlags& flags);

// Plans and runs the job; when a process or a host of it is lost, plans it again with the hosts
// that then answer and goes on from the last whole checkpoint, so many times. Returns the last
// one's exit code. What a job says about itself (usage, data, model, machine, a wall, an interrupt)
// is no reason to start it again. Throws as plan_launch, and MachineError when fewer hosts than
// min_hosts answer.
int launch_with_restarts(const LaunchFlags& flags, const RestartFlags& restarts);

}  // namespace tandem
