#pragma once
// How many CPUs and how much memory this process may really use.

#include <cstdint>
#include <string>
#include <vector>

namespace tandem {

struct CpuLimits {
  int hardware_threads = 1;  // online in the machine
  int affinity_threads = 1;  // allowed by the affinity mask
  int physical_cores = 1;    // distinct cores among the allowed threads
  double cgroup_cpus = 0;    // the cgroup's quota in CPUs; 0 when there is none
  // The number of compute threads to use: physical cores within the affinity mask and the quota.
  int usable_cores() const;
};
CpuLimits cpu_limits();

// The CPU's own name, e.g. "AMD EPYC 7543 32-Core Processor".
std::string cpu_model_name();

// Bytes that can be had without swapping: the smaller of /proc/meminfo's MemAvailable and what the
// cgroup still allows. 0 when neither can be read.
std::int64_t available_memory_bytes();

// This process's resident memory, now and at its highest, in bytes; 0 when unknown.
std::int64_t resident_memory_bytes();
std::int64_t peak_resident_memory_bytes();

}  // namespace tandem
