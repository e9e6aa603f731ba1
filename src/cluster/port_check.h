#pragma once
// Whether the hosts of a job reach each other's ports, asked before an MPI launcher, which would
// stand still where they don't.

#include <chrono>
#include <string>
#include <vector>

#include "cluster/host_helper.h"
#include "cluster/job_hosts.h"

namespace tandem {

struct HelperWords {
  std::string program_here, program_there;
  std::string version;               // a host with another one has no helper
  std::vector<std::string> options;  // of `tandem doctor`, besides --listen
};

// Where helpers can be: on each host that has answered with this program and version, and on this
// host, as "this host", where it takes no part in the job but the daemons of the others must reach
// it.
std::vector<HelperPlace> helper_places(const ReachedHosts& reached, const HelperWords& words);

struct PortCheck {
  std::vector<std::string> problems;  // ports that can't be reached
  std::vector<std::string> untried;   // why a host's ports weren't tried
};

struct PortLimits {
  int connect_seconds = 4;
  std::chrono::milliseconds open{5000}, peers{3000};
};

// Nothing for a job of one host that starts it itself.
PortCheck check_ports(const ReachedHosts& reached, const HelperWords& words,
                      const PortLimits& limits = {});

}  // namespace tandem
