#pragma once
// What a machine has to compute and to talk with: what `tandem doctor` shows of each host.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace tandem {

struct FoundMpi {
  std::string name, version, program;
  bool has_plugin = false;  // Tandem's own, without which it can't be used
};

// The directory that the job will write to, or the nearest one above it that exists.
struct OutputPlace {
  std::string path;
  std::int64_t free_bytes = 0;
  bool writable = false;
  bool has_token = false;  // a file that the launching host made there is seen here
};

struct MachineFacts {
  std::string host_name;     // its own
  std::string name_address;  // where that leads on itself; empty: nowhere
  std::string version;       // of the program
  std::string cpu;
  std::vector<std::string> instructions;  // of those that matter: "avx2", "amx_bf16", ...
  std::vector<std::string> kernels;       // usable sets, best first
  int hardware_threads = 0, affinity_threads = 0, physical_cores = 0, cores = 0;
  double cgroup_cpus = 0;  // 0: no quota
  std::int64_t memory_bytes = 0;
  std::int64_t huge_pages = 0;         // reserved ones
  std::string transparent_huge_pages;  // "always", "madvise", "never"; empty: unknown
  std::int64_t temporary_free_bytes = 0;
  double gflops = 0;  // of fp32 products; 0: not measured
  std::vector<FoundMpi> mpis;
  OutputPlace output;                                            // path empty: not asked for
  std::vector<std::pair<std::string, std::int64_t>> link_mbits;  // of physical interfaces
  double unix_seconds = 0;                                       // its clock when this was written
};

// Everything but what needs kernels, plugins or the program's version: those are the caller's.
// `output_directory` may be empty; `token` is a file's name in it.
MachineFacts gather_facts(const std::filesystem::path& output_directory, const std::string& token);

// The nearest existing directory at or above `path`.
std::filesystem::path existing_place(const std::filesystem::path& path);

// Those of the flags of /proc/cpuinfo that choose kernels and precision.
std::vector<std::string> instructions_of(std::string_view cpuinfo);

// "always [madvise] never": the word in brackets.
std::string chosen_word(std::string_view line);

nlohmann::json json_of(const MachineFacts& facts);
// Throws MachineError, which begins with `source`, when it is something else.
MachineFacts facts_of(const nlohmann::json& json, const std::string& source);

}  // namespace tandem
