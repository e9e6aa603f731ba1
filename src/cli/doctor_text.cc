#include "cli/doctor_text.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/printable.h"

namespace tandem {
namespace {

constexpr double kGiB = 1 << 30;

std::string gigabytes(std::int64_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / kGiB);
}

std::string figure(double value, const char* unit = "") {
  return value > 0 ? fmt::format("{:.0f}{}", value, unit) : std::string("-");
}

std::string cores_text(const MachineFacts& facts) {
  std::string text =
      fmt::format("{} used of {}, {} of {} hardware threads allowed", facts.cores,
                  facts.physical_cores, facts.affinity_threads, facts.hardware_threads);
  if (facts.cgroup_cpus > 0) {
    text += fmt::format(", {:.2g} CPUs by control group", facts.cgroup_cpus);
  }
  return text;
}

using Row = std::array<std::string, 9>;

Row row_of(const ExaminedHost& host) {
  Row row;
  row[0] = host.name;
  row[1] = host.address;
  row[2] = host.interface;
  row[7] = figure(host.mbits);
  if (host.round_trip_seconds > 0) row[8] = fmt::format("{:.2f}", host.round_trip_seconds * 1e3);
  if (host.facts) {
    row[3] = fmt::format("{}", host.facts->cores);
    row[4] = gigabytes(host.facts->memory_bytes);
    if (!host.facts->kernels.empty()) row[5] = printable(host.facts->kernels.front());
    row[6] = figure(host.facts->gflops);
  }
  for (std::string& cell : row) {
    if (cell.empty()) cell.push_back('-');
  }
  return row;
}

std::string table_text(const std::vector<Row>& rows) {
  std::array<std::size_t, std::tuple_size_v<Row>> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool is_number = i >= 6 || i == 3 || i == 4;
      line += is_number ? fmt::format("{:>{}}  ", row[i], widths[i])
                        : fmt::format("{:<{}}  ", row[i], widths[i]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string output_text(const Examination& examination) {
  const ExaminedHost& first = examination.hosts.front();
  if (!first.facts || first.facts->output.path.empty()) return "";
  std::vector<std::string> sharing, others;
  for (const ExaminedHost& host : examination.hosts) {
    if (host.facts) (host.facts->output.has_token ? sharing : others).push_back(host.name);
  }
  const OutputPlace& place = first.facts->output;
  const std::string shared =
      others.empty() ? "shared by all hosts"
                     : fmt::format("not shared: {} see{} another one than this host",
                                   fmt::join(others, ", "), others.size() == 1 ? "s" : "");
  return fmt::format("output: {} on {}, {} free; {}\n", printable(place.path), first.name,
                     gigabytes(place.free_bytes), shared);
}

const char* name_of(Severity severity) {
  return severity == Severity::kError ? "error" : "warning";
}

nlohmann::json json_of_findings(std::span<const Finding> findings) {
  nlohmann::json list = nlohmann::json::array();
  for (const Finding& finding : findings) {
    list.push_back(
        {{"severity", name_of(finding.severity)}, {"host", finding.host}, {"text", finding.text}});
  }
  return list;
}

}  // namespace

std::string machine_text(const MachineFacts& facts) {
  std::string text = fmt::format("tandem {} on {}\n", facts.version, printable(facts.host_name));
  text += fmt::format("cpu:     {}\n", printable(facts.cpu));
  text += fmt::format("         {}; kernels {}\n", fmt::join(facts.instructions, " "),
                      fmt::join(facts.kernels, ", "));
  text += fmt::format("cores:   {}\n", cores_text(facts));
  text +=
      fmt::format("memory:  {} free; huge pages: {}{}\n", gigabytes(facts.memory_bytes),
                  facts.transparent_huge_pages.empty() ? "unknown" : facts.transparent_huge_pages,
                  facts.huge_pages > 0 ? fmt::format(", {} reserved", facts.huge_pages) : "");
  text += fmt::format("speed:   {:.0f} GFLOP/s of fp32 products\n", facts.gflops);
  for (const FoundMpi& mpi : facts.mpis) {
    text += fmt::format("mpi:     {} {} ({}), {}\n", mpi.name, mpi.version, printable(mpi.program),
                        mpi.has_plugin ? "with its plugin" : "without a plugin of Tandem's");
  }
  if (facts.mpis.empty()) text += "mpi:     none on PATH; jobs of one host need none\n";
  return text;
}

std::string hosts_text(const Examination& examination) {
  std::vector<Row> rows = {
      {"host", "address", "interface", "cores", "memory", "kernels", "GFLOP/s", "Mbit/s", "ms"}};
  for (const ExaminedHost& host : examination.hosts) rows.push_back(row_of(host));
  std::string text = table_text(rows);
  std::vector<std::string> unused;
  for (const ExaminedHost& host : examination.hosts) {
    if (host.unused.empty()) continue;
    unused.push_back(fmt::format("{} on {}", fmt::join(host.unused, ", "), host.name));
  }
  if (!examination.networks.empty()) {
    text += fmt::format("network: {}, which `tandem launch` names to MPI{}\n", examination.networks,
                        unused.empty() ? "" : fmt::format("; not {}", fmt::join(unused, "; ")));
  }
  return text + output_text(examination);
}

std::string findings_text(std::span<const Finding> findings) {
  std::string text;
  for (const Finding& finding : findings) {
    text += fmt::format("{}: {}\n", name_of(finding.severity), finding.text);
  }
  const auto errors = std::ranges::count(findings, Severity::kError, &Finding::severity);
  if (errors == 0) return text + "fit for the job\n";
  return text + fmt::format("{} error{}\n", errors, errors == 1 ? "" : "s");
}

nlohmann::json machine_json(const MachineFacts& facts, std::span<const Finding> findings) {
  return {{"machine", json_of(facts)},
          {"findings", json_of_findings(findings)},
          {"fit", !any_error(findings)}};
}

nlohmann::json examination_json(const Examination& examination) {
  nlohmann::json hosts = nlohmann::json::array();
  for (const ExaminedHost& host : examination.hosts) {
    nlohmann::json entry = {{"host", host.name},
                            {"address", host.address},
                            {"interface", host.interface},
                            {"unused_interfaces", host.unused},
                            {"clock_difference", host.clock_difference},
                            {"mbits", host.mbits},
                            {"round_trip_seconds", host.round_trip_seconds}};
    entry["machine"] = host.facts ? json_of(*host.facts) : nlohmann::json();
    hosts.push_back(std::move(entry));
  }
  return {{"hosts", hosts},
          {"networks", examination.networks},
          {"findings", json_of_findings(examination.findings)},
          {"fit", !any_error(examination.findings)}};
}

}  // namespace tandem
