#pragma once
// Which network carries a job: the one by which its hosts reach each other, not the first one that
// an MPI finds (docker0, a second card that leads nowhere).

#include <span>
#include <string>
#include <vector>

#include "cluster/host_probe.h"

namespace tandem {

// A host of the job: its name, the address that the name leads to, and its own report.
struct NetworkHost {
  std::string name;
  std::string address;
  const HostReport* report = nullptr;
};

struct NetworkChoice {
  std::string interface;                // of the same name on every host; empty when they differ
  std::string networks;                 // of all hosts' interfaces, with commas between
  std::string launch_networks;          // these, and those by which the launching host leads there
  std::vector<std::string> interfaces;  // of each host, e.g. "eth0 10.0.0.1"; empty when unknown
  std::vector<std::string> warnings;
  std::vector<std::string> problems;  // a host without a way to another
};

// From each host's routes to the others. `launching` is the host that starts the job where it takes
// no part in it. Nothing is chosen for one host that starts the job itself, nor where one can't
// tell its routes (without iproute2), of which there is a warning.
NetworkChoice choose_network(std::span<const NetworkHost> hosts,
                             const HostReport* launching = nullptr);

}  // namespace tandem
