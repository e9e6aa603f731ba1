#pragma once
// How long a run's steps took on each rank and what with, gathered at its end, and the file that
// keeps it.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "comm/communicator.h"
#include "train/run_log.h"
#include "train/step_times.h"

namespace tandem {

// Means over the steps.
struct RankSpeed {
  std::string host;
  std::int64_t threads = 0;
  StepTimes times;
  double waiting = 0;  // of the exposed seconds: until the slowest rank was ready as well
};

struct SpeedReport {
  std::vector<RankSpeed> ranks;
  std::int64_t steps = 0;  // that were measured
  std::int64_t examples = 0, tokens = 0;
  std::int64_t batch_size = 0;  // of an update, over all ranks
  double train_loss = 0;        // of the whole run
  Results evaluation;           // at the end; empty when there was none

  // Zero when nothing was measured.
  double seconds_per_step() const;  // of rank 0, whose steps end as all others' do
  double samples_per_second() const;
};

// Means of each rank's steps, as many on every rank, with what they waited for each other.
std::vector<RankSpeed> mean_speeds(std::span<const std::vector<StepTimes>> steps_of_ranks);

// Every rank's means, the same on every rank. Null: alone.
std::vector<RankSpeed> gather_speeds(Communicator*, const SpeedRecord&, const std::string& host,
                                     int threads);

// The report as a file has it, and back. Reading throws MachineError, which begins with `source`,
// when it is something else. A number that isn't finite is written as null and read as nothing.
std::string speed_report_json(const SpeedReport&);
SpeedReport parse_speed_report(std::string_view json, const std::string& source);

}  // namespace tandem
