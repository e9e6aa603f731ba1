#pragma once
// A planned job, started and waited for.

#include <filesystem>

#include "cli/launch_plan.h"

namespace tandem {

// Says what is started and where, then returns the job's exit code. With a log, that is where the
// job's output goes instead of this process's own.
int run_launch(const LaunchPlan& plan, const std::filesystem::path& log = {});

}  // namespace tandem
