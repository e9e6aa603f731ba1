#pragma once
// How a job is spread over hosts, settled before anything is started.

#include <string>
#include <string_view>
#include <vector>

#include "cli/train_flags.h"
#include "cluster/hostfile.h"
#include "cluster/job_hosts.h"
#include "cluster/mpi_launcher.h"

namespace tandem {

struct LaunchFlags {
  std::string hostfile;
  int ranks_per_host = 1;
  int nodes = 0;      // the first so many hosts; 0: all
  int min_hosts = 0;  // those that don't answer are left out while so many do; 0: none are
  std::string mpi = "auto";
  bool oversubscribe = false;
  bool dry_run = false;
  bool json = false;
  std::vector<std::string> environment;  // NAME=VALUE
  std::vector<std::string> command;      // train and its options
};

// The options of launching, for `tandem launch` and `tandem scale`: --hostfile, --ppn, --mpi, --env
// and the command after --.
void add_launch_flags(CLI::App& command, LaunchFlags& flags);

struct LaunchPlan {
  MpiLauncher launcher;
  std::vector<JobHost> hosts;
  std::vector<std::string> interfaces;  // of each host, e.g. "eth0 10.0.0.1", or empty
  int threads = 0;                      // of each rank; 0: one a core of its host
  MpiJob job;
};

// Reads `train` and its options as each rank will, so that a wrong one is told once, before the
// start. `launching` is how the command line begins, for messages. Throws UsageError.
TrainFlags read_train_command(const std::vector<std::string>& command, std::string_view launching);

// Checks flags, hostfile, names, ssh, programs and networks. Throws UsageError for what the command
// line or the hostfile has wrong, MachineError for what the hosts have; of several faulty hosts all
// are logged before. Logs warnings.
LaunchPlan plan_launch(const LaunchFlags& flags);

// A table of which ranks run where, on what and by which network, for people.
std::string map_text(const LaunchPlan& plan);

}  // namespace tandem
