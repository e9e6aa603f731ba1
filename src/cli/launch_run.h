#pragma once
// A planned job, started and waited for.

#include <filesystem>

#include "cli/launch_plan.h"
#include "cluster/foreground.h"

namespace tandem {

// Says what is started and where, then returns how the job ended. With a log, that is where the
// job's output goes instead of this process's own.
ForegroundEnd run_launch(const LaunchPlan& plan, const std::filesystem::path& log = {});

}  // namespace tandem
