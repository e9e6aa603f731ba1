#pragma once
// Starts the runs of `tandem scale` and reads what they measured.

#include <vector>

#include "cli/launch_plan.h"
#include "cli/scale_plan.h"
#include "train/speed_report.h"

namespace tandem {

// The job on the plan's hosts, started as `tandem launch` starts it. Throws Error with the job's
// own exit code, and the place of its log, when it fails.
SpeedReport run_on_hosts(const LaunchPlan& plan, const ScaleRun& run);

// As many copies of the job as there are hosts, one on each, started together, which say nothing
// to each other: what the hosts do at once when no communication holds them back. Each writes into
// a directory of its own that is removed at the end. Throws as above.
std::vector<SpeedReport> run_copies(const LaunchPlan& plan, const ScaleRun& run);

}  // namespace tandem
