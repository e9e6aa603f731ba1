#pragma once
// The hosts of a job, reached and asked: everything that can be wrong with them before an MPI
// launcher, whose own messages rarely name the host, is started.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cluster/host_names.h"
#include "cluster/host_probe.h"
#include "cluster/hostfile.h"
#include "cluster/mpi_launcher.h"
#include "cluster/network_choice.h"

namespace tandem {

struct JobHost {
  std::string name;
  std::string address;
  bool is_this_host = false;
  bool answered = true;  // there is a report
  HostReport report;
};

struct ReachedHosts {
  std::vector<JobHost> hosts;
  HostReport this_host;               // also where it takes no part in the job
  std::vector<std::string> problems;  // each names its host and what mends it

  bool include_this_host() const;
};

struct ReachLimits {
  std::chrono::milliseconds names{5000};
  std::chrono::seconds ssh{10};
};

// What is wrong with the names of a job's hosts, this host's /etc/hosts considered.
std::vector<std::string> problems_of_names(const std::vector<NamedAddress>& names);

// Resolves all names, asks this host and, over ssh, the others. A host whose name is in trouble is
// asked nothing, and then neither are the others. This host is one whose address is its own.
ReachedHosts reach_hosts(const std::vector<Host>& hosts, const std::string& program,
                         const MpiLauncher& launcher, const ReachLimits& limits = {});
// The same for hosts whose names are resolved and without trouble.
ReachedHosts reach_addresses(const std::vector<NamedAddress>& hosts, const std::string& program,
                             const MpiLauncher& launcher, std::chrono::seconds ssh_limit);

// The path of the program that is the same on all hosts of the job: the one that runs here where
// this host takes part, else the first host's. Adds to `problems` the hosts where it is missing,
// elsewhere, or of another version; and those without the launcher's daemon, where there is one.
std::string common_program(const ReachedHosts& reached, const std::string& program,
                           const std::string& version, const std::optional<MpiLauncher>& launcher,
                           std::vector<std::string>& problems);

// Whether several of them are one machine's: containers, or hosts of the lab.
bool share_a_machine(const std::vector<JobHost>& hosts);

NetworkChoice network_between(const ReachedHosts& reached);

}  // namespace tandem
