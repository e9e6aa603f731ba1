#pragma once
// All hosts of a job examined together, in a time that is bounded whatever they do.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cluster/findings.h"
#include "cluster/hostfile.h"
#include "cluster/machine_facts.h"
#include "cluster/mpi_launcher.h"

namespace tandem {

struct ExaminedHost {
  std::string name, address;
  std::string interface;              // that has the address; empty when unknown
  std::vector<std::string> unused;    // its other interfaces, e.g. "docker0 172.17.0.1"
  std::optional<MachineFacts> facts;  // nothing when it couldn't be asked
  double clock_difference = 0;        // seconds ahead of the launching host
  double mbits = 0;                   // of the best way measured; 0: none was
  double round_trip_seconds = 0;      // the least
};

struct Examination {
  std::vector<ExaminedHost> hosts;  // in the hostfile's order
  std::vector<Finding> findings;    // errors first
  std::string networks;             // that `tandem launch` passes to MPI; empty: none
};

struct ExaminationRequest {
  std::string program;                  // the path of this one
  std::string version;                  // its version
  std::optional<MpiLauncher> launcher;  // that the job would be started by
  std::string output_directory;         // may be empty
  std::string token;                    // a file's name there
  std::chrono::milliseconds limit{13500};
};

Examination examine_hosts(const std::vector<Host>& hosts, const ExaminationRequest& request);

}  // namespace tandem
