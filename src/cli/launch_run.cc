#include "cli/launch_run.h"

#include "base/log.h"
#include "cluster/remote_shell.h"

namespace tandem {

ForegroundEnd run_launch(const LaunchPlan& plan, const std::filesystem::path& log) {
  const TemporaryFile hostfile(hostfile_for(plan.launcher.kind, plan.job));
  const std::vector<std::string> words =
      launcher_words(plan.launcher, plan.job, hostfile.path().string());
  const std::string map = map_text(plan);
  log_line(std::string_view(map).substr(0, map.size() - 1));  // without its last line's end
  log_info("starting: {}", shell_line(words));
  return run_in_foreground(words, signal_to_end(plan.launcher.kind), log);
}

}  // namespace tandem
