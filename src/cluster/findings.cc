#include "cluster/findings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/printable.h"
#include "cluster/route.h"

namespace tandem {
namespace {

constexpr double kMaxClockDifference = 5;
constexpr double kSlowShare = 0.5;
constexpr double kSlowestShare = 0.25;  // of the best host's: cables fall back to a tenth
constexpr std::int64_t kMiB = 1 << 20;
// Weights, gradients and moments of the smallest model that the program is for need some 400 MB.
constexpr std::int64_t kLittleMemory = 512 * kMiB;
constexpr std::int64_t kLittleDisk = 100 * kMiB;

Finding warning(const std::string& host, const std::string& text) {
  return {Severity::kWarning, host, host + ": " + text};
}

Finding error(const std::string& host, const std::string& text) {
  return {Severity::kError, host, host + ": " + text};
}

std::string outcome_of(const PortReach& reach, double waited_seconds) {
  switch (reach.answer) {
    case PortAnswer::kSilent:
      return fmt::format("no answer in {:.0f} s: filtered", waited_seconds);
    case PortAnswer::kRefused:
      return "refused";
    case PortAnswer::kFailed:
    case PortAnswer::kExchanged:
      break;
  }
  return reach.error;
}

// What lets `host` be reached; Debian's two firewalls, of which at most one is there.
std::string open_ports(const std::string& host) {
  return fmt::format(
      "the job's hosts must reach each other on all ports: `sudo nft list ruleset` on {} shows "
      "what "
      "drops them, `sudo ufw allow from ADDRESS` lets a host in",
      host);
}

bool fails(const ReachedPort& port) { return port.reach.answer != PortAnswer::kExchanged; }

// Hosts that reach none of at least two others, though some host reaches those: theirs is the
// fault.
std::set<std::string> hosts_that_reach_nobody(std::span<const ReachedPort> ports) {
  std::map<std::string, std::pair<int, int>> tried_and_failed;
  std::set<std::string> reached;
  for (const ReachedPort& port : ports) {
    auto& [tried, failed] = tried_and_failed[port.from];
    ++tried;
    if (fails(port)) {
      ++failed;
    } else {
      reached.insert(port.to);
    }
  }
  std::set<std::string> hosts;
  for (const auto& [host, counts] : tried_and_failed) {
    if (counts.first < 2 || counts.first != counts.second) continue;
    const bool others_do = std::ranges::any_of(ports, [&](const ReachedPort& port) {
      return port.from == host && reached.contains(port.to);
    });
    if (others_do) hosts.insert(host);
  }
  return hosts;
}

}  // namespace

bool any_error(std::span<const Finding> findings) {
  return std::ranges::find(findings, Severity::kError, &Finding::severity) != findings.end();
}

Finding finding_of_problem(const std::string& problem, Severity severity) {
  const std::size_t colon = problem.find(": ");
  return {severity, colon == problem.npos ? "" : problem.substr(0, colon), problem};
}

std::vector<Finding> machine_findings(const std::string& host, const MachineFacts& facts) {
  std::vector<Finding> findings;
  if (facts.kernels.empty() || facts.kernels.front() == "reference") {
    findings.push_back(warning(host, fmt::format("{} has neither AVX2 nor AVX-512: plain loops are "
                                                 "used, which are very slow; choose another host",
                                                 printable(facts.cpu))));
  }
  if (facts.affinity_threads < facts.hardware_threads) {
    findings.push_back(warning(
        host, fmt::format("only {} of its {} hardware threads may be used; `taskset -pc $$` shows "
                          "which, and what started the shell has set it",
                          facts.affinity_threads, facts.hardware_threads)));
  }
  if (facts.cgroup_cpus > 0 && facts.cgroup_cpus < facts.physical_cores) {
    findings.push_back(warning(
        host, fmt::format("a control group allows {:.2g} CPUs of its {} cores; raise its cpu.max "
                          "(docker: --cpus, Kubernetes: resources.limits.cpu)",
                          facts.cgroup_cpus, facts.physical_cores)));
  }
  if (facts.memory_bytes < kLittleMemory) {
    findings.push_back(
        error(host, fmt::format("only {} MiB of memory are free; `ps aux --sort -rss | head` shows "
                                "what has it",
                                facts.memory_bytes / kMiB)));
  }
  if (facts.temporary_free_bytes < kLittleDisk) {
    findings.push_back(error(
        host, fmt::format("only {} MiB are free for temporary files, where MPI keeps its session; "
                          "`df -h /tmp` and `sudo du -xh /tmp | sort -h | tail` show what has them",
                          facts.temporary_free_bytes / kMiB)));
  }
  return findings;
}

std::optional<Finding> clock_finding(const std::string& host, double seconds_ahead) {
  if (std::abs(seconds_ahead) <= kMaxClockDifference) return std::nullopt;
  return warning(host,
                 fmt::format("its clock is {:.0f} s {}; `sudo timedatectl set-ntp true` on it sets "
                             "it right",
                             std::abs(seconds_ahead), seconds_ahead > 0 ? "ahead" : "behind"));
}

std::optional<Finding> own_name_finding(const std::string& host, const MachineFacts& facts) {
  const std::string name = printable(facts.host_name);
  if (facts.name_address.empty()) {
    return warning(host, fmt::format("its own name {} leads nowhere there; `echo 'ADDRESS {}' | "
                                     "sudo tee -a /etc/hosts` on it",
                                     name, name));
  }
  if (!is_loopback(facts.name_address)) return std::nullopt;
  return error(host, fmt::format("its own name {} leads to {} there, so that others are told an "
                                 "address where they find themselves; write its address in the "
                                 "network in that line of /etc/hosts on it: `sudo sed -i "
                                 "'s/^{}\\b/ADDRESS/' /etc/hosts`",
                                 name, facts.name_address, facts.name_address));
}

std::optional<Finding> kernels_finding(std::span<const HostKernels> hosts) {
  std::map<std::string, std::vector<std::string>> by_best;
  std::vector<std::string> common;
  for (const HostKernels& host : hosts) {
    if (host.kernels.empty()) continue;
    by_best[host.kernels.front()].push_back(host.host);
    if (common.empty()) common = host.kernels;
    std::erase_if(common, [&](const std::string& name) {
      return std::ranges::find(host.kernels, name) == host.kernels.end();
    });
  }
  if (by_best.size() < 2 || common.empty()) return std::nullopt;
  std::vector<std::string> parts;
  for (const auto& [best, names] : by_best) {
    parts.push_back(fmt::format("{} on {}", best, fmt::join(names, ", ")));
  }
  return Finding{Severity::kWarning, "",
                 fmt::format("the hosts' CPUs differ: {}; give the job `--kernels {}`, which all "
                             "of them have",
                             fmt::join(parts, "; "), common.front())};
}

std::optional<Finding> name_finding(const std::string& seen_by, const NamedAddress& seen,
                                    const std::string& address) {
  if (seen.address == address) return std::nullopt;
  if (seen.address.empty()) {
    return warning(seen_by, fmt::format("doesn't know the name {}; `echo '{} {}' | sudo tee -a "
                                        "/etc/hosts` on it",
                                        seen.name, address, seen.name));
  }
  const std::string text =
      fmt::format("the name {} leads to {} there, to {} here; write {} in its /etc/hosts",
                  seen.name, seen.address, address, address);
  // Its own name on the loopback is another finding's.
  return is_loopback(seen.address) ? error(seen_by, text) : warning(seen_by, text);
}

std::vector<Finding> reach_findings(std::span<const ReachedPort> ports, double waited_seconds) {
  const std::set<std::string> mute = hosts_that_reach_nobody(ports);
  std::vector<Finding> findings;
  std::map<std::string, std::vector<const ReachedPort*>> of_mute;
  std::map<std::pair<std::string, std::string>, std::vector<const ReachedPort*>> of_target;
  for (const ReachedPort& port : ports) {
    if (!fails(port)) continue;
    if (mute.contains(port.from)) {
      of_mute[port.from].push_back(&port);
    } else {
      of_target[{port.to, outcome_of(port.reach, waited_seconds)}].push_back(&port);
    }
  }
  for (const auto& [target, failed] : of_target) {
    std::vector<std::string> from;
    for (const ReachedPort* port : failed) from.push_back(port->from);
    findings.push_back(
        error(target.first,
              fmt::format("{} cannot reach {}:{} ({}); {}", fmt::join(from, ", "), target.first,
                          failed.front()->port, target.second, open_ports(target.first))));
  }
  for (const auto& [host, failed] : of_mute) {
    findings.push_back(error(
        host, fmt::format("{} cannot reach {}:{} ({}), nor any other host; {}", host,
                          failed.front()->to, failed.front()->port,
                          outcome_of(failed.front()->reach, waited_seconds), open_ports(host))));
  }
  return findings;
}

std::vector<Finding> rate_findings(std::span<const MeasuredHost> hosts) {
  double best = 0;
  for (const MeasuredHost& host : hosts) best = std::max(best, host.mbits);
  std::vector<Finding> findings;
  for (const MeasuredHost& host : hosts) {
    if (host.mbits <= 0) continue;
    const auto nominal = static_cast<double>(host.nominal_mbits);
    if (host.mbits < kSlowShare * nominal) {
      findings.push_back(warning(
          host.host,
          fmt::format("{} carries {:.0f} Mbit/s of its nominal {:.0f}; `ethtool "
                      "{}` and `ip -s link show {}` on it show errors",
                      host.interface, host.mbits, nominal, host.interface, host.interface)));
    } else if (host.mbits < kSlowestShare * best) {
      findings.push_back(warning(
          host.host, fmt::format("reaches the others with {:.0f} Mbit/s where the best host has "
                                 "{:.0f}, and a job is as fast as its slowest; `ethtool {}` on it "
                                 "shows its cable's speed",
                                 host.mbits, best, host.interface)));
    }
  }
  return findings;
}

bool is_public(std::string_view address) {
  const std::string text(address);
  std::array<unsigned char, 16> b{};
  if (inet_pton(AF_INET, text.c_str(), b.data()) == 1) {
    const bool is_private = b[0] == 10 || (b[0] == 172 && b[1] >= 16 && b[1] < 32) ||
                            (b[0] == 192 && b[1] == 168) || (b[0] == 169 && b[1] == 254) ||
                            (b[0] == 100 && b[1] >= 64 && b[1] < 128);  // RFC 6598
    return !is_private && b[0] != 127;
  }
  if (inet_pton(AF_INET6, text.c_str(), b.data()) != 1) return false;
  return (b[0] & 0xE0) == 0x20;  // 2000::/3, all of the global addresses in use
}

std::optional<Finding> public_finding(const std::string& host, const std::string& address) {
  if (!is_public(address)) return std::nullopt;
  return warning(host, fmt::format("{} is a public address, and MPI's traffic is neither encrypted "
                                   "nor authenticated; name it by its address in a private network "
                                   "in the hostfile",
                                   address));
}

std::vector<Finding> output_findings(const std::string& first_host, const OutputPlace& place) {
  if (place.path.empty()) return {};
  std::vector<Finding> findings;
  if (!place.writable) {
    findings.push_back(
        error(first_host, fmt::format("{} can't be written to, and the results are "
                                      "written there; `sudo chown $USER {}` on it",
                                      printable(place.path), printable(place.path))));
  }
  if (place.free_bytes < kLittleDisk) {
    findings.push_back(error(first_host, fmt::format("only {} MiB are free in {}; `df -h {}` on it",
                                                     place.free_bytes / kMiB, printable(place.path),
                                                     printable(place.path))));
  }
  return findings;
}

}  // namespace tandem
