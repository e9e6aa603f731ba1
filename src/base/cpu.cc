#include "base/cpu.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include "base/cgroup.h"
#include "base/system_file.h"

namespace tandem {
namespace {

// "Key:   1234 kB" in a /proc file, in bytes.
std::optional<std::int64_t> kilobytes_of_key(const std::string& path, const std::string& key) {
  const std::optional<std::int64_t> kilobytes = number_of_key(path, key + ":");
  return kilobytes ? std::optional(*kilobytes * 1024) : std::nullopt;
}

// CPUs of the affinity mask; those of the whole machine when it cannot be read.
std::vector<int> allowed_cpus(int hardware_threads) {
  std::vector<int> cpus;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
    cpus.resize(static_cast<std::size_t>(hardware_threads));
    std::iota(cpus.begin(), cpus.end(), 0);
    return cpus;
  }
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &allowed)) cpus.push_back(cpu);
  }
  return cpus;
}

}  // namespace

int CpuLimits::usable_cores() const {
  int usable = physical_cores();
  if (cgroup_cpus > 0) usable = std::min(usable, static_cast<int>(std::ceil(cgroup_cpus)));
  return std::max(1, usable);
}

std::vector<std::vector<int>> CpuLimits::cpus_to_pin(int threads) const {
  const bool within_quota = cgroup_cpus <= 0 || cgroup_cpus >= physical_cores();
  const bool all_alike =
      affinity_threads == physical_cores() && cores.front().package == cores.back().package;
  std::vector<std::vector<int>> cpus;
  if (threads != physical_cores() || !within_quota || all_alike) return cpus;
  for (const CpuCore& core : cores) cpus.push_back(core.cpus);
  return cpus;
}

std::vector<CpuCore> cores_of(std::span<const int> cpus, const std::filesystem::path& machine) {
  std::map<std::int64_t, CpuCore> by_lowest;
  for (const int cpu : cpus) {
    const std::filesystem::path topology = machine / fmt::format("cpu{}/topology", cpu);
    // The list begins with the lowest of the core's CPUs, which names the core: core_id alone is
    // given anew in each package, and in each die of some.
    const std::int64_t core = number_in(topology / "thread_siblings_list").value_or(cpu);
    const auto [found, added] = by_lowest.try_emplace(core);
    if (added) {
      found->second = {{}, number_in(topology / "physical_package_id").value_or(0)};
    }
    found->second.cpus.push_back(cpu);
  }
  std::vector<CpuCore> cores;
  for (auto& [lowest, core] : by_lowest) cores.push_back(std::move(core));
  std::ranges::sort(cores, {},
                    [](const CpuCore& core) { return std::pair(core.package, core.cpus.front()); });
  return cores;
}

std::vector<CpuCore> cores_of_machine() {
  std::vector<int> cpus(static_cast<std::size_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN))));
  std::iota(cpus.begin(), cpus.end(), 0);
  return cores_of(cpus);
}

void run_on(std::span<const int> cpus) {
  cpu_set_t only;
  CPU_ZERO(&only);
  for (const int cpu : cpus) CPU_SET(static_cast<std::size_t>(cpu), &only);
  sched_setaffinity(0, sizeof only, &only);
}

CoreShare share_of_cores(const std::vector<CpuCore>& mask, const std::vector<CpuCore>& machine,
                         int place, int processes) {
  const auto count = static_cast<std::size_t>(processes);
  const bool far_too_few = 2 * mask.size() * count <= machine.size();
  const bool of_its_own = mask.size() * count <= machine.size();
  if (of_its_own && !far_too_few) return {mask, false};
  const std::vector<CpuCore>& shared = far_too_few ? machine : mask;
  if (shared.size() < count) return {shared, far_too_few};
  const auto part = [&](std::size_t which) {
    return shared.begin() + static_cast<std::ptrdiff_t>(shared.size() * which / count);
  };
  const auto at = static_cast<std::size_t>(place);
  return {{part(at), part(at + 1)}, far_too_few};
}

CpuLimits cpu_limits() {
  const int hardware_threads = static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  const std::vector<int> allowed = allowed_cpus(hardware_threads);
  return {.hardware_threads = hardware_threads,
          .affinity_threads = static_cast<int>(allowed.size()),
          .cores = cores_of(allowed),
          .cgroup_cpus = cgroup_cpu_quota().value_or(0)};
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
