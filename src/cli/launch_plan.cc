#include "cli/launch_plan.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include <fmt/ranges.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/printable.h"
#include "cli/arguments.h"
#include "cluster/port_check.h"

namespace tandem {
namespace {

std::vector<std::pair<std::string, std::string>> environment_of(const LaunchFlags& flags) {
  std::vector<std::pair<std::string, std::string>> environment;
  for (const std::string& entry : flags.environment) {
    const std::size_t equals = entry.find('=');
    const std::string name = entry.substr(0, equals);
    const bool is_name = !name.empty() && name.find_first_not_of(
                                              "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                              "0123456789_") == name.npos;
    if (equals == entry.npos || !is_name) {
      throw UsageError("--env {}: expected NAME=VALUE", printable(entry));
    }
    environment.emplace_back(name, entry.substr(equals + 1));
  }
  return environment;
}

void check_slots(const LaunchFlags& flags, const Host& host) {
  const int ranks = flags.ranks_per_host;
  if (host.max_slots && ranks > *host.max_slots) {
    throw UsageError("{}:{}: {} has max_slots={}, but --ppn {} wants {} processes there",
                     flags.hostfile, host.line, host.name, *host.max_slots, ranks, ranks);
  }
  if (host.slots && ranks > *host.slots && !flags.oversubscribe) {
    throw UsageError(
        "{}:{}: {} has {} slot{}, but --ppn {} wants {} processes there; change either, or give "
        "--oversubscribe",
        flags.hostfile, host.line, host.name, *host.slots, *host.slots == 1 ? "" : "s", ranks,
        ranks);
  }
}

std::vector<Host> hosts_of_job(const LaunchFlags& flags) {
  std::vector<Host> hosts = read_hostfile(flags.hostfile);
  const auto count = static_cast<std::size_t>(flags.nodes);
  if (count > hosts.size()) {
    throw UsageError("--nodes {}: {} has only {} host{}", flags.nodes, flags.hostfile, hosts.size(),
                     hosts.size() == 1 ? "" : "s");
  }
  if (count > 0) hosts.resize(count);
  for (const Host& host : hosts) check_slots(flags, host);
  return hosts;
}

MpiLauncher launcher_of(const std::string& wanted) {
  const char* const path = std::getenv("PATH");
  const std::vector<MpiLauncher> found = find_launchers(path == nullptr ? "" : path);
  std::optional<MpiKind> kind;
  if (wanted == "openmpi") kind = MpiKind::kOpenMpi;
  if (wanted == "mpich") kind = MpiKind::kMpich;
  if (wanted == "intel") kind = MpiKind::kIntel;
  const auto chosen = std::ranges::find_if(
      found, [&](const MpiLauncher& launcher) { return !kind || launcher.kind == *kind; });
  if (chosen != found.end()) return *chosen;
  if (found.empty()) {
    throw MachineError(
        "no MPI launcher is on PATH here; `sudo apt install openmpi-bin` (or mpich) on "
        "every host, or load the module that has one");
  }
  std::vector<std::string> there;
  there.reserve(found.size());
  for (const MpiLauncher& launcher : found) {
    there.push_back(fmt::format("{} ({})", name_of(launcher.kind), launcher.program));
  }
  throw MachineError("--mpi {}: not on PATH here, only {}; `sudo apt install {}` on every host",
                     wanted, fmt::join(there, ", "), package_of(*kind));
}

void refuse_problems(const std::vector<std::string>& problems) {
  if (problems.empty()) return;
  if (problems.size() == 1) throw MachineError("{}", problems.front());
  for (const std::string& problem : problems) log_line(problem);
  throw MachineError("the hosts are not ready for the job; the {} lines above say why",
                     problems.size());
}

// A job that lost a host goes on without it.
void leave_out_silent_hosts(ReachedHosts& reached, int min_hosts) {
  std::erase_if(reached.hosts, [](const JobHost& host) { return !host.answered; });
  for (const std::string& problem : reached.problems) log_warning("{}", problem);
  if (std::ssize(reached.hosts) < min_hosts) {
    throw MachineError("{} host{} answer, --min-hosts {} are wanted", reached.hosts.size(),
                       reached.hosts.size() == 1 ? "" : "s", min_hosts);
  }
  reached.problems.clear();
}

// MPI's processes talk over ports that they choose; a firewall would let them wait forever.
void try_ports(const ReachedHosts& reached, const std::string& own_path,
               const std::string& program) {
  const PortCheck check = check_ports(reached, {.program_here = own_path,
                                                .program_there = program,
                                                .version = TANDEM_VERSION,
                                                .options = {"--quick"}});
  for (const std::string& reason : check.untried) {
    log_warning("{}; its ports were not tried", reason);
  }
  refuse_problems(check.problems);
}

// Compute threads of each rank, where several share a host's cores.
int threads_of_rank(const LaunchFlags& flags, const std::vector<JobHost>& hosts, int wanted) {
  const int ranks = flags.ranks_per_host;
  if (ranks == 1) return wanted;
  int threads = wanted;
  for (const JobHost& host : hosts) {
    const int cores = host.report.cores;
    if (!flags.oversubscribe && ranks > cores) {
      throw UsageError("--ppn {}: {} has {} usable core{}; give at most that, or --oversubscribe",
                       ranks, host.name, cores, cores == 1 ? "" : "s");
    }
    if (!flags.oversubscribe && wanted * ranks > cores) {
      throw UsageError(
          "--ppn {} with --threads {} needs {} cores, {} has {}; leave --threads out, "
          "or give --oversubscribe",
          ranks, wanted, wanted * ranks, host.name, cores);
    }
    const int share = std::max(1, cores / ranks);
    if (wanted == 0) threads = threads == 0 ? share : std::min(threads, share);
  }
  return threads;
}

std::vector<std::string> program_words(const std::string& program, const LaunchFlags& flags,
                                       int threads, bool threads_are_said) {
  std::vector<std::string> words = {program};
  words.insert(words.end(), flags.command.begin(), flags.command.end());
  if (flags.ranks_per_host > 1 && !threads_are_said) {
    words.insert(words.end(), {"--threads", fmt::format("{}", threads)});
  }
  return words;
}

std::string count_of(int number, std::string_view thing) {
  return fmt::format("{} {}{}", number, thing, number == 1 ? "" : "s");
}

}  // namespace

void add_launch_flags(CLI::App& command, LaunchFlags& flags) {
  command
      .add_option(
          "--hostfile,--machinefile", flags.hostfile,
          "the hosts, one a line: `h1`, `h1 slots=2` (Open MPI) or `h1:2` (MPICH, Intel MPI)")
      ->option_text("FILE")
      ->required();
  command.add_option("--ppn", flags.ranks_per_host, "processes on each host")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  command
      .add_option(
          "--mpi", flags.mpi,
          "what starts the processes: openmpi, mpich, intel, or auto, the first one on PATH")
      ->check(CLI::IsMember({"auto", "openmpi", "mpich", "intel"}))
      ->capture_default_str();
  command.add_option("--env", flags.environment, "NAME=VALUE for every process; may come again")
      ->option_text("NAME=VALUE")
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);
  command.add_option("command", flags.command, "`train` and its options, after --")
      ->option_text("-- train ...");
}

TrainFlags read_train_command(const std::vector<std::string>& command, std::string_view launching) {
  if (command.empty() || command.front() != "train") {
    throw UsageError(
        "{}: expected `train` and its options after --, as in `{} -- train --model DIR ...`",
        command.empty() ? "nothing" : printable(command.front()), launching);
  }
  CLI::App app("", "tandem");
  CLI::App& train = *app.add_subcommand("train");
  TrainFlags flags;
  add_train_flags(train, flags);
  try {
    parse_arguments(app, command);
  } catch (const CLI::Success&) {
    throw UsageError("`tandem train --help` explains what may stand after --; it needs no hosts");
  }
  complete_train_flags(flags);
  check_train_flags(flags);
  return flags;
}

LaunchPlan plan_launch(const LaunchFlags& flags) {
  const int wanted_threads =
      read_train_command(flags.command, "tandem launch --hostfile HOSTS").compute.threads;
  const auto environment = environment_of(flags);
  const std::vector<Host> hosts = hosts_of_job(flags);
  const MpiLauncher launcher = launcher_of(flags.mpi);
  const std::string own_path = std::filesystem::read_symlink("/proc/self/exe").string();

  ReachedHosts reached = reach_hosts(hosts, own_path, launcher);
  if (flags.min_hosts > 0) leave_out_silent_hosts(reached, flags.min_hosts);
  refuse_problems(reached.problems);
  std::vector<std::string> problems;
  const std::string program = common_program(reached, own_path, TANDEM_VERSION, launcher, problems);
  refuse_problems(problems);
  const int threads = threads_of_rank(flags, reached.hosts, wanted_threads);
  const NetworkChoice network = network_between(reached);
  for (const std::string& warning : network.warnings) log_warning("{}", warning);
  refuse_problems(network.problems);
  if (!flags.dry_run) try_ports(reached, own_path, program);

  LaunchPlan plan{.launcher = launcher,
                  .hosts = std::move(reached.hosts),
                  .interfaces = network.interfaces,
                  .threads = threads,
                  .job = {.hosts = {},
                          .ranks_per_host = flags.ranks_per_host,
                          .program = program_words(program, flags, threads, wanted_threads > 0),
                          .interface = network.interface,
                          .networks = network.networks,
                          .launch_networks = network.launch_networks,
                          .environment = environment,
                          .as_root = geteuid() == 0}};
  for (const JobHost& host : plan.hosts) plan.job.hosts.push_back(host.name);
  return plan;
}

std::string map_text(const LaunchPlan& plan) {
  const int ranks_per_host = plan.job.ranks_per_host;
  std::size_t width = 0;
  for (const JobHost& host : plan.hosts) width = std::max(width, host.name.size());
  std::string text = fmt::format("{} on {}, started by {} {}\n", count_of(plan.job.ranks(), "rank"),
                                 count_of(static_cast<int>(plan.hosts.size()), "host"),
                                 name_of(plan.launcher.kind), plan.launcher.version);
  int rank = 0;
  for (std::size_t i = 0; i < plan.hosts.size(); ++i) {
    const int cores = plan.hosts[i].report.cores;
    const int last = rank + ranks_per_host - 1;
    const std::string ranks =
        rank == last ? fmt::format("rank {}", rank) : fmt::format("ranks {}-{}", rank, last);
    text += fmt::format("  {:<{}}  {:<11}  {}{} of {}", plan.hosts[i].name, width, ranks,
                        count_of(plan.threads > 0 ? plan.threads : cores, "thread"),
                        ranks_per_host > 1 ? " each" : "", count_of(cores, "core"));
    if (!plan.interfaces[i].empty()) text += "  " + plan.interfaces[i];
    text += "\n";
    rank = last + 1;
  }
  if (!plan.job.networks.empty()) text += fmt::format("network: {}\n", plan.job.networks);
  return text;
}

}  // namespace tandem
