// tandem launch: starts a job on several hosts by the MPI that is there.
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/launch_plan.h"
#include "cli/launch_restarts.h"
#include "cluster/remote_shell.h"
#include "formats/json.h"

namespace tandem {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The map, then two commands that can be pasted into a shell: they do what launch would have done.
void print_plan(const LaunchPlan& plan, bool json) {
  const std::string hostfile = "hosts-for-mpi";
  std::vector<std::string> write_hosts = {"printf", "%s\\n"};
  for (const std::string& line : lines_of(hostfile_for(plan.launcher.kind, plan.job))) {
    write_hosts.push_back(line);
  }
  const std::string write = fmt::format("{} > {}", shell_line(write_hosts), hostfile);
  const std::string start = shell_line(launcher_words(plan.launcher, plan.job, hostfile));
  if (!json) {
    fmt::print("{}{}\n{}\n", map_text(plan), write, start);
    return;
  }
  nlohmann::json hosts = nlohmann::json::array();
  for (std::size_t i = 0; i < plan.hosts.size(); ++i) {
    hosts.push_back({{"host", plan.hosts[i].name},
                     {"ranks", plan.job.ranks_per_host},
                     {"threads", plan.threads > 0 ? plan.threads : plan.hosts[i].report.cores},
                     {"cores", plan.hosts[i].report.cores},
                     {"interface", plan.interfaces[i]}});
  }
  const nlohmann::json object = {{"launcher", name_of(plan.launcher.kind)},
                                 {"launcher_version", plan.launcher.version},
                                 {"hosts", hosts},
                                 {"networks", plan.job.networks},
                                 {"commands", {write, start}}};
  fmt::print("{}\n", python_json(object, {.indent = std::nullopt}));
}

int launch(const LaunchFlags& flags, const RestartFlags& restarts) {
  if (!flags.dry_run) return launch_with_restarts(flags, restarts);
  print_plan(plan_launch(flags), flags.json);
  return 0;
}

}  // namespace

void add_launch_command(CLI::App& app, int& exit_code) {
  CLI::App& command = *app.add_subcommand(
      "launch", "Start a job on several hosts by MPI: launch --hostfile HOSTS -- train ...");
  const auto flags = std::make_shared<LaunchFlags>();
  const auto restarts = std::make_shared<RestartFlags>();
  add_launch_flags(command, *flags);
  command.add_option("--nodes", flags->nodes, "use the first N hosts alone")
      ->check(CLI::Range(1, static_cast<int>(kMaxHosts)));
  command.add_flag("--oversubscribe", flags->oversubscribe,
                   "allow more processes than slots, and more threads than cores");
  command.add_flag("--dry-run", flags->dry_run,
                   "check everything and print what would be done, as commands to paste");
  command.add_flag("--json", flags->json,
                   "the plan of --dry-run as JSON; a job itself prints what its own --json says");
  add_restart_flags(command, *restarts);
  command.callback([flags, restarts, &exit_code] { exit_code = launch(*flags, *restarts); });
}

}  // namespace tandem
