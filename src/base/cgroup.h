#pragma once
// What Linux's control groups leave to this process.
//
// A group is a directory with a file for each limit. A process is held by its own group and by
// every group around that one, up to the root of the tree. Version 2 has one tree; version 1 has
// one for each controller; a machine may have both. Formats: the kernel's
// admin-guide/cgroup-v2.rst, cgroup-v1/memory.rst and scheduler/sched-bwc.rst. In a container the
// process's path may be that on the host and missing here: the root, which is the container's own
// group then, still counts.

#include <cstdint>
#include <filesystem>
#include <optional>

namespace tandem {

struct CgroupPlaces {
  std::filesystem::path process = "/proc/self/cgroup";  // says in which groups the process is
  std::filesystem::path root = "/sys/fs/cgroup";        // version 1 has its trees below it
};

// The smallest quota of the process's groups, in CPUs; nothing when none has one.
std::optional<double> cgroup_cpu_quota(const CgroupPlaces& places = {});

// The smallest number of bytes that one of the process's groups still allows, files that it keeps
// in memory counted as free; nothing when no group has a limit.
std::optional<std::int64_t> cgroup_memory_left(const CgroupPlaces& places = {});

}  // namespace tandem
