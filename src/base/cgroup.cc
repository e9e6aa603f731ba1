#include "base/cgroup.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/system_file.h"

namespace tandem {
namespace {

using std::filesystem::path;

// The process's group in a controller's tree of version 1, or, with no controller's name, in the
// tree of version 2; the root when nothing is said. A line is
// "number:controller,controller:/group", that of version 2 "0::/group".
path group_of_process(const path& process, const std::string& controller) {
  std::ifstream file(process);
  std::string number, controllers, group;
  while (std::getline(file, number, ':') && std::getline(file, controllers, ':') &&
         std::getline(file, group)) {
    if (("," + controllers + ",").find("," + controller + ",") != std::string::npos) return group;
  }
  return "/";
}

// Directories of the process's group and of those around it, the root last.
std::vector<path> groups_of_process(const CgroupPlaces& places, const std::string& controller) {
  const path tree = places.root / controller;
  // A group outside of what this process may see begins with "/..".
  path group = group_of_process(places.process, controller).lexically_normal().relative_path();
  std::vector<path> groups;
  for (; !group.empty(); group = group.parent_path()) groups.push_back(tree / group);
  groups.push_back(tree);
  return groups;
}

template <class Number>
void keep_smallest(std::optional<Number>& smallest, std::optional<Number> number) {
  if (number) smallest = std::min(*number, smallest.value_or(*number));
}

std::optional<double> quota_of_version_2(const path& group) {
  std::istringstream line(first_line(group / "cpu.max").value_or(""));
  double quota = 0;
  double period = 0;
  if (!(line >> quota >> period) || period <= 0) return std::nullopt;  // "max" is no quota
  return quota / period;
}

std::optional<double> quota_of_version_1(const path& group) {
  const auto quota = number_in(group / "cpu.cfs_quota_us");
  const auto period = number_in(group / "cpu.cfs_period_us");
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;  // -1 is no quota
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

// Names of a group's files, and what the keys of its statistics begin with.
struct MemoryNames {
  const char *limit, *usage, *of_whole_group;
};

std::optional<std::int64_t> memory_left(const path& group, const MemoryNames& names) {
  const auto limit = number_in(group / names.limit);  // "max" is no limit
  const auto usage = number_in(group / names.usage);
  if (!limit || !usage) return std::nullopt;
  // Files that were read count as used, and are given back when memory is asked for.
  std::int64_t files = 0;
  for (const char* key : {"inactive_file", "active_file"}) {
    files +=
        number_of_key(group / "memory.stat", std::string(names.of_whole_group) + key).value_or(0);
  }
  return std::max<std::int64_t>(0, *limit - *usage + files);
}

}  // namespace

std::optional<double> cgroup_cpu_quota(const CgroupPlaces& places) {
  std::optional<double> smallest;
  for (const path& group : groups_of_process(places, "")) {
    keep_smallest(smallest, quota_of_version_2(group));
  }
  for (const path& group : groups_of_process(places, "cpu")) {
    keep_smallest(smallest, quota_of_version_1(group));
  }
  return smallest;
}

std::optional<std::int64_t> cgroup_memory_left(const CgroupPlaces& places) {
  // Version 1 counts the usage of inner groups too, but their files only under "total_".
  constexpr MemoryNames kVersion1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_"};
  constexpr MemoryNames kVersion2{"memory.max", "memory.current", ""};
  std::optional<std::int64_t> smallest;
  for (const path& group : groups_of_process(places, "")) {
    keep_smallest(smallest, memory_left(group, kVersion2));
  }
  for (const path& group : groups_of_process(places, "memory")) {
    keep_smallest(smallest, memory_left(group, kVersion1));
  }
  return smallest;
}

}  // namespace tandem
