// tandem launch: starts a job on several hosts by the MPI that is there.
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/launch_plan.h"
#include "cli/launch_run.h"
#include "cluster/remote_shell.h"

namespace tandem {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The map, then two commands that can be pasted into a shell: they do what launch would have done.
void print_plan(const LaunchPlan& plan) {
  const std::string hostfile = "hosts-for-mpi";
  std::vector<std::string> write_hosts = {"printf", "%s\\n"};
  for (const std::string& line : lines_of(hostfile_for(plan.launcher.kind, plan.job))) {
    write_hosts.push_back(line);
  }
  fmt::print("{}{} > {}\n{}\n", map_text(plan), shell_line(write_hosts), hostfile,
             shell_line(launcher_words(plan.launcher, plan.job, hostfile)));
}

int launch(const LaunchFlags& flags) {
  const LaunchPlan plan = plan_launch(flags);
  if (flags.dry_run) {
    print_plan(plan);
    return 0;
  }
  return run_launch(plan);
}

}  // namespace

void add_launch_command(CLI::App& app, int& exit_code) {
  CLI::App& command = *app.add_subcommand(
      "launch", "Start a job on several hosts by MPI: launch --hostfile HOSTS -- train ...");
  const auto flags = std::make_shared<LaunchFlags>();
  add_launch_flags(command, *flags);
  command.add_option("--nodes", flags->nodes, "use the first N hosts alone")
      ->check(CLI::Range(1, static_cast<int>(kMaxHosts)));
  command.add_flag("--oversubscribe", flags->oversubscribe,
                   "allow more processes than slots, and more threads than cores");
  command.add_flag("--dry-run", flags->dry_run,
                   "check everything and print what would be done, as commands to paste");
  command.callback([flags, &exit_code] { exit_code = launch(*flags); });
}

}  // namespace tandem
