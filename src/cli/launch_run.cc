#include "cli/launch_run.h"

#include "base/error.h"
#include "base/log.h"
#include "cluster/foreground.h"
#include "cluster/remote_shell.h"

namespace tandem {

int run_launch(const LaunchPlan& plan, const std::filesystem::path& log) {
  const TemporaryFile hostfile(hostfile_for(plan.launcher.kind, plan.job));
  const std::vector<std::string> words =
      launcher_words(plan.launcher, plan.job, hostfile.path().string());
  const std::string map = map_text(plan);
  log_line(std::string_view(map).substr(0, map.size() - 1));  // without its last line's end
  log_info("starting: {}", shell_line(words));
  const ForegroundEnd end = run_in_foreground(log.empty() ? words : words_with_log(words, log),
                                              signal_to_end(plan.launcher.kind));
  // Launchers aren't agreed on what they return for a job that was asked to end.
  const bool interrupted_unsaid = end.asked_to_end && end.code == 0;
  return interrupted_unsaid ? static_cast<int>(ExitCode::kInterrupted) : end.code;
}

std::vector<std::string> words_with_log(const std::vector<std::string>& words,
                                        const std::filesystem::path& log) {
  std::vector<std::string> all = {"sh", "-c", R"(log=$1; shift; exec "$@" > "$log" 2>&1)", "sh",
                                  log.string()};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

}  // namespace tandem
