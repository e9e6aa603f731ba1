#pragma once
// The runs of `tandem scale`: one job on growing numbers of hosts.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/launch_plan.h"

namespace tandem {

enum class Yardstick { kAuto, kYes, kNo };

struct ScaleFlags {
  LaunchFlags launch;  // of every run, but for the number of hosts
  std::string nodes;   // "1,2,4"
  bool keep_per_device_batch = false;
  std::int64_t steps = 200;  // 0: as many as the job has
  bool steps_are_said = false;
  std::filesystem::path output;
  Yardstick yardstick = Yardstick::kAuto;
  bool json = false;
};

// "1,2,4": whole numbers, each greater than the one before. Throws UsageError.
std::vector<int> parse_nodes(const std::string& text);

struct ScaleRun {
  int nodes = 0;
  std::int64_t batch_size = 0;       // of an update, over all hosts
  std::filesystem::path directory;   // absolute
  std::vector<std::string> command;  // train and its options
  // The same for one host's share alone, but for where it writes.
  std::vector<std::string> copy_command;

  std::filesystem::path report() const { return directory / "speed.json"; }
  std::filesystem::path log() const { return directory / "log.txt"; }
};

// Throws UsageError for batches that can't be divided as the flags want.
std::vector<ScaleRun> plan_runs(const ScaleFlags& flags);

}  // namespace tandem
