#pragma once
// What is wrong with the hosts of a job, told from what they reported: each finding with its host
// and what mends it.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/host_names.h"
#include "cluster/machine_facts.h"
#include "cluster/port_probe.h"

namespace tandem {

enum class Severity {
  kError,    // the job would fail
  kWarning,  // it may be slower than it could be, or fail where it is started otherwise
};

struct Finding {
  Severity severity = Severity::kError;
  std::string host;  // empty: all of them
  std::string text;  // begins with the host
  friend bool operator==(const Finding&, const Finding&) = default;
};

bool any_error(std::span<const Finding> findings);

// From a problem that begins with "HOST: ", as those of the other parts of this room do.
Finding finding_of_problem(const std::string& problem, Severity severity = Severity::kError);

// Of one machine alone. `host` is how messages name it.
std::vector<Finding> machine_findings(const std::string& host, const MachineFacts& facts);

// A clock that is off by more than 5 s.
std::optional<Finding> clock_finding(const std::string& host, double seconds_ahead);

// What the machine's own name leads to on itself, in a job of several hosts.
std::optional<Finding> own_name_finding(const std::string& host, const MachineFacts& facts);

struct HostKernels {
  std::string host;
  std::vector<std::string> kernels;  // usable sets, best first
};
// Hosts whose best kernels differ.
std::optional<Finding> kernels_finding(std::span<const HostKernels> hosts);

// How one host saw another's name, against what it is for the launching host.
std::optional<Finding> name_finding(const std::string& seen_by, const NamedAddress& seen,
                                    const std::string& address);

struct ReachedPort {
  std::string from, to;  // hosts
  int port = 0;
  PortReach reach;
};
// The hosts that others can't reach, and those that can't reach anybody.
std::vector<Finding> reach_findings(std::span<const ReachedPort> ports, double waited_seconds);

struct MeasuredHost {
  std::string host;
  std::string interface;
  double mbits = 0;                // to and from it, the best measured; 0: not measured
  std::int64_t nominal_mbits = 0;  // of the interface; 0: unknown
};
// Hosts on a way slower than half of what the card promises, or a quarter of what the best host
// has.
std::vector<Finding> rate_findings(std::span<const MeasuredHost> hosts);

// Whether it is routed over the internet.
bool is_public(std::string_view address);
std::optional<Finding> public_finding(const std::string& host, const std::string& address);

// The output directory, of the first host, which writes, and of the others.
std::vector<Finding> output_findings(const std::string& first_host, const OutputPlace& place);

}  // namespace tandem
