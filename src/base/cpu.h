#pragma once
// How many CPUs and how much memory this process may really use.

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace tandem {

// A physical core: those of its hardware threads that may be used, ascending, and its package.
struct CpuCore {
  std::vector<int> cpus = {0};
  std::int64_t package = 0;
  friend bool operator==(const CpuCore&, const CpuCore&) = default;
};

struct CpuLimits {
  int hardware_threads = 1;                  // online in the machine
  int affinity_threads = 1;                  // allowed by the affinity mask
  std::vector<CpuCore> cores = {CpuCore()};  // cores_of() those
  double cgroup_cpus = 0;  // the cgroups' smallest quota in CPUs; 0 when there is none

  int physical_cores() const { return static_cast<int>(cores.size()); }
  // The number of compute threads to use: physical cores within the affinity mask and the quota.
  int usable_cores() const;
  // The CPUs that each of `threads` compute threads is to be pinned to, a core's each: which of the
  // core's hardware threads is free may change, since another job may have the same cores. Empty
  // when they are left to the system. That is where it can't place them badly, since no two CPUs
  // share a core and all share a memory; where they are fewer or more than the cores, since another
  // process with the same mask would choose the same ones; and where a quota lets them run only
  // some of the time.
  std::vector<std::vector<int>> cpus_to_pin(int threads) const;
};
// Of the calling thread: asked for before it is pinned.
CpuLimits cpu_limits();

// The cores of these CPUs (ascending numbers); those of a package, which share a memory, come one
// after the other. `machine` describes the CPUs as /sys/devices/system/cpu does; a CPU that it
// doesn't describe is a core of its own.
std::vector<CpuCore> cores_of(std::span<const int> cpus,
                              const std::filesystem::path& machine = "/sys/devices/system/cpu");

// All cores of the machine that are online, whatever the affinity mask says.
std::vector<CpuCore> cores_of_machine();

// Lets the calling thread, and those that it starts from now on, run on these CPUs alone; where the
// system refuses it runs where it did.
void run_on(std::span<const int> cpus);

// What one of several processes of a job on one machine computes on.
struct CoreShare {
  std::vector<CpuCore> cores;
  bool widened;  // beyond the affinity mask
};

// Of process `place` of `processes`, whose affinity mask `mask` tells. Processes that share a mask
// divide its cores. A mask of its own is kept, unless that is less than half of the process's part
// of the machine: MPI launchers bind a process to one core where nobody asked them to.
CoreShare share_of_cores(const std::vector<CpuCore>& mask, const std::vector<CpuCore>& machine,
                         int place, int processes);

// The CPU's own name, e.g. "AMD EPYC 7543 32-Core Processor".
std::string cpu_model_name();

// Bytes that can be had without swapping: the smaller of /proc/meminfo's MemAvailable and what the
// cgroups still allow. 0 when neither can be read.
std::int64_t available_memory_bytes();

// This process's resident memory, now and at its highest, in bytes; 0 when unknown.
std::int64_t resident_memory_bytes();
std::int64_t peak_resident_memory_bytes();

}  // namespace tandem
