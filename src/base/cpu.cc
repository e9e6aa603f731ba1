#include "base/cpu.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

namespace tandem {
namespace {

std::optional<std::string> first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

std::optional<std::int64_t> number_in(const std::string& path) {
  const std::optional<std::string> line = first_line(path);
  if (!line) return std::nullopt;
  std::istringstream stream(*line);
  std::int64_t value = 0;
  if (!(stream >> value)) return std::nullopt;  // "max" means no limit
  return value;
}

// The number in the line "key 1234" of a file; the key may end with a colon.
std::optional<std::int64_t> number_of_key(const std::string& path, std::string_view key) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream stream(line);
    std::string word;
    std::int64_t number = 0;
    if (stream >> word >> number && word == key) return number;
  }
  return std::nullopt;
}

// "Key:   1234 kB" in a /proc file, in bytes.
std::optional<std::int64_t> kilobytes_of_key(const std::string& path, const std::string& key) {
  const std::optional<std::int64_t> kilobytes = number_of_key(path, key + ":");
  return kilobytes ? std::optional(*kilobytes * 1024) : std::nullopt;
}

double cgroup_cpu_quota() {
  if (const auto line = first_line("/sys/fs/cgroup/cpu.max")) {  // version 2: "quota period"
    std::istringstream stream(*line);
    double quota = 0;
    double period = 0;
    if (stream >> quota >> period && period > 0) return quota / period;
    return 0;
  }
  const auto quota = number_in("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
  const auto period = number_in("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  if (quota && period && *quota > 0 && *period > 0) {
    return static_cast<double>(*quota) / static_cast<double>(*period);
  }
  return 0;
}

std::optional<std::int64_t> cgroup_memory_left() {
  const std::string two = "/sys/fs/cgroup/";
  const std::string one = "/sys/fs/cgroup/memory/";
  struct Files {
    std::string limit, usage, statistics;
  };
  for (const Files& files :
       {Files{two + "memory.max", two + "memory.current", two + "memory.stat"},
        Files{one + "memory.limit_in_bytes", one + "memory.usage_in_bytes", one + "memory.stat"}}) {
    const auto limit = number_in(files.limit);
    const auto usage = number_in(files.usage);
    if (!limit || !usage) continue;
    // Files that were read count as used, and are given back when memory is asked for.
    const std::int64_t cache = number_of_key(files.statistics, "inactive_file").value_or(0) +
                               number_of_key(files.statistics, "active_file").value_or(0);
    return std::max<std::int64_t>(0, *limit - *usage + cache);
  }
  return std::nullopt;
}

}  // namespace

int CpuLimits::usable_cores() const {
  int cores = physical_cores;
  if (cgroup_cpus > 0) cores = std::min(cores, static_cast<int>(std::ceil(cgroup_cpus)));
  return std::max(1, cores);
}

CpuLimits cpu_limits() {
  CpuLimits limits;
  limits.hardware_threads = static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  limits.cgroup_cpus = cgroup_cpu_quota();
  limits.affinity_threads = limits.physical_cores = limits.hardware_threads;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return limits;
  limits.affinity_threads = CPU_COUNT(&allowed);
  std::set<std::pair<std::int64_t, std::int64_t>> cores;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(static_cast<std::size_t>(cpu), &allowed)) continue;
    const std::string topology = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    cores.emplace(number_in(topology + "physical_package_id").value_or(0),
                  number_in(topology + "core_id").value_or(cpu));
  }
  limits.physical_cores = std::max(1, static_cast<int>(cores.size()));
  return limits;
}

std::string cpu_model_name() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown CPU";
}

std::int64_t available_memory_bytes() {
  const auto machine = kilobytes_of_key("/proc/meminfo", "MemAvailable");
  const auto cgroup = cgroup_memory_left();
  if (machine && cgroup) return std::min(*machine, *cgroup);
  return machine.value_or(cgroup.value_or(0));
}

std::int64_t resident_memory_bytes() {
  return kilobytes_of_key("/proc/self/status", "VmRSS").value_or(0);
}

std::int64_t peak_resident_memory_bytes() {
  return kilobytes_of_key("/proc/self/status", "VmHWM").value_or(0);
}

}  // namespace tandem
