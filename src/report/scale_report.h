#pragma once
// What the runs of `tandem scale` come to.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "train/speed_report.h"

namespace tandem {

struct ScaleRow {
  int nodes = 0;
  SpeedReport cluster;
  // One from each host, training alone at the same time as the others; empty when not measured.
  std::vector<SpeedReport> copies;
};

struct ScaleReport {
  std::string job;       // the command line, for people
  std::string launcher;  // "Open MPI 4.1.4"
  bool keeps_per_device_batch = false;
  bool hosts_share_a_machine = false;
  int ranks_per_host = 1;
  std::vector<ScaleRow> rows;  // ascending by nodes
};

// What a row's numbers come to. Shares are of a step, means over the ranks.
struct ScaleFigures {
  double seconds_per_step = 0, samples_per_second = 0;
  double speed_up = 0;    // over the first row
  double ideal = 0;       // as many times as there are hosts
  double efficiency = 0;  // of the ideal
  // Hosts times the cluster's samples a second, by the sum of the copies'.
  std::optional<double> speed_up_over_copies;
  double exposed = 0, waiting = 0;  // the second is a part of the first
  double input = 0, optimizer = 0;
  double communication_cpu = 0;           // CPU seconds by those of the step
  double megabits_per_second = 0;         // sent by a host
  std::pair<std::string, double> metric;  // no name when nothing was evaluated
};
ScaleFigures figures_of(const ScaleReport& report, const ScaleRow& row);

// How the batch goes with the number of hosts, and what a shared machine means for the numbers.
std::vector<std::string> remarks_of(const ScaleReport& report);

std::string scale_table(const ScaleReport& report);
std::string scale_json(const ScaleReport& report);

}  // namespace tandem
