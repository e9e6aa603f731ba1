#include "cluster/machine_facts.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <limits>
#include <sstream>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/cpu.h"
#include "base/system_file.h"
#include "cluster/host_names.h"
#include "formats/json.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kOwnNameDeadline{2};
constexpr double kLargest = std::numeric_limits<double>::max();
constexpr std::int64_t kLargestCount = std::numeric_limits<std::int64_t>::max();

std::int64_t free_bytes(const fs::path& path) {
  std::error_code error;
  const fs::space_info space = fs::space(path, error);
  return error ? 0 : static_cast<std::int64_t>(space.available);
}

// Only cards have a device behind them; what a bridge or a tunnel calls its speed means nothing.
std::vector<std::pair<std::string, std::int64_t>> physical_links() {
  std::vector<std::pair<std::string, std::int64_t>> links;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/sys/class/net", error)) {
    if (!fs::exists(entry.path() / "device", error)) continue;
    const std::int64_t speed = number_in(entry.path() / "speed").value_or(0);
    if (speed > 0) links.emplace_back(entry.path().filename().string(), speed);
  }
  return links;
}

std::string own_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string address_of_name(const std::string& name) {
  return name.empty() ? "" : resolve_names({{name}}, kOwnNameDeadline).front().address;
}

std::vector<std::string> texts(const JsonValue& array) {
  std::vector<std::string> result;
  for (const JsonValue& element : array.elements()) result.push_back(element.text());
  return result;
}

int small_number(const JsonValue& object, std::string_view key) {
  return static_cast<int>(object.at(key).whole_number(0, 1 << 24));
}

std::int64_t count(const JsonValue& object, std::string_view key) {
  return object.at(key).whole_number(0, kLargestCount);
}

double number(const JsonValue& object, std::string_view key) {
  return object.at(key).number(0, kLargest);
}

OutputPlace output_of(const JsonValue& object) {
  return {.path = object.at("path").text(),
          .free_bytes = count(object, "free_bytes"),
          .writable = object.at("writable").boolean(),
          .has_token = object.at("has_token").boolean()};
}

}  // namespace

fs::path existing_place(const fs::path& path) {
  fs::path place = fs::absolute(path).lexically_normal();
  std::error_code error;
  while (!fs::is_directory(place, error) && place.has_relative_path()) place = place.parent_path();
  return place;
}

std::vector<std::string> instructions_of(std::string_view cpuinfo) {
  constexpr std::string_view kKey = "\nflags";
  const std::size_t start = cpuinfo.find(kKey);
  if (start == cpuinfo.npos) return {};
  const std::string_view rest = cpuinfo.substr(start + 1);
  std::istringstream line{std::string(rest.substr(0, rest.find('\n')))};
  std::vector<std::string> flags;
  for (std::string flag; line >> flag;) flags.push_back(flag);
  std::vector<std::string> found;
  for (const char* wanted : {"avx2", "fma", "avx_vnni", "avx512f", "avx512_vnni", "avx512_bf16",
                             "amx_tile", "amx_int8", "amx_bf16"}) {
    if (std::ranges::find(flags, wanted) != flags.end()) found.emplace_back(wanted);
  }
  return found;
}

std::string chosen_word(std::string_view line) {
  const std::size_t open = line.find('[');
  const std::size_t close = line.find(']', open);
  if (open == line.npos || close == line.npos) return "";
  return std::string(line.substr(open + 1, close - open - 1));
}

MachineFacts gather_facts(const fs::path& output_directory, const std::string& token) {
  const CpuLimits limits = cpu_limits();
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::ostringstream cpu_text;
  cpu_text << cpuinfo.rdbuf();
  MachineFacts facts;
  facts.host_name = own_name();
  facts.name_address = address_of_name(facts.host_name);
  facts.cpu = cpu_model_name();
  facts.instructions = instructions_of(cpu_text.str());
  facts.hardware_threads = limits.hardware_threads;
  facts.affinity_threads = limits.affinity_threads;
  facts.physical_cores = limits.physical_cores();
  facts.cores = limits.usable_cores();
  facts.cgroup_cpus = limits.cgroup_cpus;
  facts.memory_bytes = available_memory_bytes();
  facts.huge_pages = number_of_key("/proc/meminfo", "HugePages_Total:").value_or(0);
  facts.transparent_huge_pages =
      chosen_word(first_line("/sys/kernel/mm/transparent_hugepage/enabled").value_or(""));
  std::error_code ignored;
  facts.temporary_free_bytes = free_bytes(fs::temp_directory_path(ignored));
  facts.link_mbits = physical_links();
  if (!output_directory.empty()) {
    const fs::path place = existing_place(output_directory);
    facts.output = {.path = place.string(),
                    .free_bytes = free_bytes(place),
                    .writable = access(place.c_str(), W_OK) == 0,
                    .has_token = !token.empty() && fs::exists(place / token, ignored)};
  }
  return facts;
}

nlohmann::json json_of(const MachineFacts& facts) {
  nlohmann::json mpis = nlohmann::json::array();
  for (const FoundMpi& mpi : facts.mpis) {
    mpis.push_back({{"name", mpi.name},
                    {"version", mpi.version},
                    {"program", mpi.program},
                    {"has_plugin", mpi.has_plugin}});
  }
  nlohmann::json links = nlohmann::json::object();
  for (const auto& [interface, mbits] : facts.link_mbits) links[interface] = mbits;
  nlohmann::json json = {{"host_name", facts.host_name},
                         {"name_address", facts.name_address},
                         {"version", facts.version},
                         {"cpu", facts.cpu},
                         {"instructions", facts.instructions},
                         {"kernels", facts.kernels},
                         {"hardware_threads", facts.hardware_threads},
                         {"affinity_threads", facts.affinity_threads},
                         {"physical_cores", facts.physical_cores},
                         {"cores", facts.cores},
                         {"cgroup_cpus", facts.cgroup_cpus},
                         {"memory_bytes", facts.memory_bytes},
                         {"huge_pages", facts.huge_pages},
                         {"transparent_huge_pages", facts.transparent_huge_pages},
                         {"temporary_free_bytes", facts.temporary_free_bytes},
                         {"gflops", facts.gflops},
                         {"mpis", mpis},
                         {"link_mbits", links},
                         {"unix_seconds", facts.unix_seconds}};
  if (!facts.output.path.empty()) {
    json["output"] = {{"path", facts.output.path},
                      {"free_bytes", facts.output.free_bytes},
                      {"writable", facts.output.writable},
                      {"has_token", facts.output.has_token}};
  }
  return json;
}

MachineFacts facts_of(const nlohmann::json& json, const std::string& source) {
  const JsonValue object(json, {.name = source, .kind = ExitCode::kMachine, .max_depth = 8});
  MachineFacts facts;
  facts.host_name = object.at("host_name").text();
  facts.name_address = object.at("name_address").text();
  facts.version = object.at("version").text();
  facts.cpu = object.at("cpu").text();
  facts.instructions = texts(object.at("instructions"));
  facts.kernels = texts(object.at("kernels"));
  facts.hardware_threads = small_number(object, "hardware_threads");
  facts.affinity_threads = small_number(object, "affinity_threads");
  facts.physical_cores = small_number(object, "physical_cores");
  facts.cores = small_number(object, "cores");
  facts.cgroup_cpus = number(object, "cgroup_cpus");
  facts.memory_bytes = count(object, "memory_bytes");
  facts.huge_pages = count(object, "huge_pages");
  facts.transparent_huge_pages = object.at("transparent_huge_pages").text();
  facts.temporary_free_bytes = count(object, "temporary_free_bytes");
  facts.gflops = number(object, "gflops");
  facts.unix_seconds = number(object, "unix_seconds");
  for (const JsonValue& mpi : object.at("mpis").elements()) {
    facts.mpis.push_back({mpi.at("name").text(), mpi.at("version").text(), mpi.at("program").text(),
                          mpi.at("has_plugin").boolean()});
  }
  for (const auto& [interface, mbits] : object.at("link_mbits").members()) {
    facts.link_mbits.emplace_back(interface, mbits.whole_number(0, kLargestCount));
  }
  if (const auto output = object.find("output")) facts.output = output_of(*output);
  return facts;
}

}  // namespace tandem
