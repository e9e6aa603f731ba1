#include "cluster/job_hosts.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "base/error.h"
#include "base/file.h"
#include "base/printable.h"
#include "cluster/host_names.h"
#include "cluster/remote_shell.h"

namespace tandem {
namespace {

constexpr const char* kHostsFile = "/etc/hosts";
constexpr std::int64_t kMaxHostsFileBytes = 4 << 20;

void append(std::vector<std::string>& problems, const std::vector<std::string>& more) {
  problems.insert(problems.end(), more.begin(), more.end());
}

std::string hosts_file_text() {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(kHostsFile, ignored)) return "";
  return read_file(kHostsFile, ExitCode::kMachine, kMaxHostsFileBytes);
}

// The problem of a host where the program isn't as it is elsewhere; empty when it is.
std::string program_problem(const JobHost& host, const std::string& program,
                            const std::string& version) {
  const HostReport& report = host.report;
  const std::string copy = fmt::format("`scp {} {}`", quoted_for_shell(program),
                                       quoted_for_shell(fmt::format("{}:{}", host.name, program)));
  if (report.program.empty()) {
    return fmt::format("{}: there is no {}; {} installs it", host.name, program, copy);
  }
  if (report.program != program) {
    return fmt::format("{}: tandem is {} there, {} elsewhere; {} installs it at the same path",
                       host.name, printable(report.program, 200), program, copy);
  }
  if (report.version != version) {
    return fmt::format("{}: {} is of version {} there, {} here; {} installs the same", host.name,
                       program, in_quotes(report.version), version, copy);
  }
  return report.cores > 0 ? ""
                          : fmt::format(
                                "{}: `{} bench cores` doesn't tell its cores there; {} "
                                "installs the same program",
                                host.name, program, copy);
}

}  // namespace

std::vector<std::string> problems_of_names(const std::vector<NamedAddress>& names) {
  std::vector<std::string> problems;
  for (const NamedAddress& name : names) {
    if (!name.problem.empty()) problems.push_back(name.problem);
  }
  if (names.size() > 1) {
    append(problems, loopback_problems(names, hosts_file_text()));
    append(problems, same_address_problems(names));
  }
  return problems;
}

bool ReachedHosts::include_this_host() const {
  return std::ranges::any_of(hosts, &JobHost::is_this_host);
}

ReachedHosts reach_hosts(const std::vector<Host>& hosts, const std::string& program,
                         const MpiLauncher& launcher, const ReachLimits& limits) {
  std::vector<std::string> names;
  std::ranges::transform(hosts, std::back_inserter(names), &Host::name);
  const std::vector<NamedAddress> named = resolve_names(names, limits.names);
  std::vector<std::string> problems = problems_of_names(named);
  if (!problems.empty()) return {.hosts = {}, .this_host = {}, .problems = std::move(problems)};
  return reach_addresses(named, program, launcher, limits.ssh);
}

ReachedHosts reach_addresses(const std::vector<NamedAddress>& named, const std::string& program,
                             const MpiLauncher& launcher, std::chrono::seconds ssh_limit) {
  ReachedHosts reached;
  ProbeQuestion question{.program = program, .daemon = daemon_of(launcher), .peers = {}};
  std::ranges::transform(named, std::back_inserter(question.peers), &NamedAddress::address);
  const HostAnswer here = ask_this_host(question, ssh_limit);
  if (!here.problem.empty()) reached.problems.push_back(here.problem);
  reached.this_host = here.report;

  std::vector<std::string> others;
  for (const NamedAddress& host : named) {
    const bool is_this_host =
        is_loopback(host.address) ||
        std::ranges::count(here.report.addresses, host.address, &InterfaceAddress::address) > 0;
    reached.hosts.push_back({.name = host.name,
                             .address = host.address,
                             .is_this_host = is_this_host,
                             .report = here.report});
    if (!is_this_host) others.push_back(host.name);
  }
  std::vector<HostAnswer> answers = ask_hosts(others, question, ssh_limit);
  auto answer = answers.begin();
  for (JobHost& host : reached.hosts) {
    if (host.is_this_host) continue;
    if (!answer->problem.empty()) reached.problems.push_back(answer->problem);
    host.answered = answer->problem.empty();
    host.report = std::move(answer->report);
    ++answer;
  }
  return reached;
}

std::string common_program(const ReachedHosts& reached, const std::string& program,
                           const std::string& version, const std::optional<MpiLauncher>& launcher,
                           std::vector<std::string>& problems) {
  const std::string& first = reached.hosts.front().report.program;
  const std::string common = reached.include_this_host() || first.empty() ? program : first;
  for (const JobHost& host : reached.hosts) {
    const std::string problem = program_problem(host, common, version);
    if (!problem.empty()) problems.push_back(problem);
    if (launcher && !host.report.has_daemon) {
      problems.push_back(fmt::format(
          "{}: {} isn't installed as it is here: there is no {}; `sudo apt install {}` on it",
          host.name, name_of(launcher->kind), daemon_of(*launcher), package_of(launcher->kind)));
    }
  }
  return common;
}

bool share_a_machine(const std::vector<JobHost>& hosts) {
  std::set<std::string> kernels;
  return std::ranges::any_of(hosts, [&](const JobHost& host) {
    const std::string& kernel = host.report.boot_id;
    return !kernel.empty() && !kernels.insert(kernel).second;
  });
}

NetworkChoice network_between(const ReachedHosts& reached) {
  std::vector<NetworkHost> hosts;
  for (const JobHost& host : reached.hosts) {
    hosts.push_back({host.name, host.address, &host.report});
  }
  return choose_network(hosts, reached.include_this_host() ? nullptr : &reached.this_host);
}

}  // namespace tandem
