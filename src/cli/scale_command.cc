// tandem scale: the same job on growing numbers of hosts, and how many times as fast it is.
#include <map>
#include <memory>
#include <string>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "cli/commands.h"
#include "cli/output_directory.h"
#include "cli/scale_plan.h"
#include "cli/scale_runs.h"
#include "cli/shared_flags.h"
#include "cluster/remote_shell.h"
#include "report/scale_page.h"
#include "report/scale_report.h"

namespace tandem {
namespace {

LaunchPlan plan_of(const ScaleFlags& flags, const ScaleRun& run) {
  LaunchFlags launch = flags.launch;
  launch.nodes = run.nodes;
  launch.command = run.command;
  return plan_launch(launch);
}

// Where hosts share a machine the yardstick is part of the answer; elsewhere it is on request.
bool measures_copies(const ScaleFlags& flags, const LaunchPlan& plan, const ScaleRun& run) {
  if (run.nodes == 1 || flags.yardstick == Yardstick::kNo) return false;
  return flags.yardstick == Yardstick::kYes || share_a_machine(plan.hosts);
}

std::vector<SpeedReport> copies_of(const ScaleFlags& flags, const LaunchPlan& plan,
                                   const ScaleRun& run) {
  try {
    return run_copies(plan, run);
  } catch (const Error& error) {
    // Each host must have model and data for it, which the job itself doesn't need.
    const bool goes_on =
        flags.yardstick == Yardstick::kAuto && error.exit_code() != ExitCode::kInterrupted;
    if (!goes_on) throw;
    log_warning("{}; going on without the yardstick", error.what());
    return {};
  }
}

void save(const std::filesystem::path& directory, const ScaleReport& report) {
  StagedFiles files(directory);
  files.add("scale.json", scale_json(report));
  files.add("scale.html", scale_page(report));
  files.commit();
}

void scale(const ScaleFlags& flags) {
  const std::vector<ScaleRun> runs = plan_runs(flags);
  // All hosts are asked before the first run, so that none turns out missing hours later.
  const LaunchPlan all = plan_of(flags, runs.back());
  const OutputDirectory output(flags.output, false);
  ScaleReport report{
      .job = shell_line(flags.launch.command),
      .launcher = fmt::format("{} {}", name_of(all.launcher.kind), all.launcher.version),
      .keeps_per_device_batch = flags.keep_per_device_batch,
      .hosts_share_a_machine = share_a_machine(all.hosts),
      .ranks_per_host = flags.launch.ranks_per_host,
      .rows = {}};
  for (const ScaleRun& run : runs) {
    log_info("nodes {}: {} examples an update; log: {}", run.nodes, run.batch_size,
             run.log().string());
    const LaunchPlan plan = plan_of(flags, run);
    ScaleRow row{.nodes = run.nodes, .cluster = run_on_hosts(plan, run), .copies = {}};
    if (measures_copies(flags, plan, run)) row.copies = copies_of(flags, plan, run);
    report.rows.push_back(std::move(row));
    save(output.path(), report);  // what is known so far, should the next run fail
  }
  if (flags.json) {
    fmt::print("{}", scale_json(report));
  } else {
    fmt::print("{}", scale_table(report));
    for (const std::string& remark : remarks_of(report)) fmt::print("{}\n", remark);
  }
  log_info("saved {} and scale.json", (output.path() / "scale.html").string());
}

void add_options(CLI::App& command, ScaleFlags& flags) {
  add_launch_flags(command, flags.launch);
  command.add_option("--nodes", flags.nodes, "numbers of hosts, ascending: the first so many each")
      ->option_text("1,2,4")
      ->required();
  command.add_flag("--keep-per-device-batch", flags.keep_per_device_batch,
                   "let the batch grow with the hosts; without it all learn alike");
  command
      .add_option("--steps", flags.steps,
                  "updates of each run; 0: as many as the job has; without it those of --max-steps")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 30))
      ->capture_default_str();
  command
      .add_option("--output", flags.output,
                  "an empty directory for logs, models, scale.json and scale.html")
      ->option_text("DIR")
      ->required();
  const std::map<std::string, Yardstick> yardsticks = {
      {"auto", Yardstick::kAuto}, {"yes", Yardstick::kYes}, {"no", Yardstick::kNo}};
  command
      .add_option_function<std::string>(
          "--yardstick",
          [&flags, yardsticks](const std::string& name) { flags.yardstick = yardsticks.at(name); },
          "also train a copy on each host at once, without communication: yes, no, or auto, where "
          "hosts share a machine")
      ->check(CLI::IsMember({"auto", "yes", "no"}))
      ->default_str("auto");
  add_json_flag(command, flags.json);
}

}  // namespace

void add_scale_command(CLI::App& app) {
  CLI::App& command = *app.add_subcommand(
      "scale", "Run a job on growing numbers of hosts: scale --hostfile HOSTS --nodes 1,2 -- ...");
  const auto flags = std::make_shared<ScaleFlags>();
  add_options(command, *flags);
  command.callback([flags, &command] {
    flags->steps_are_said = command.count("--steps") > 0;
    scale(*flags);
  });
}

}  // namespace tandem
