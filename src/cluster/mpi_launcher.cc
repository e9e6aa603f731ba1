#include "cluster/mpi_launcher.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "cluster/process.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

// What follows `label` up to a space or comma; empty when the label isn't there.
std::string word_after(std::string_view text, std::string_view label) {
  const std::size_t at = text.find(label);
  if (at == text.npos) return "";
  text.remove_prefix(at + label.size());
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return std::string(text.substr(0, text.find_first_of(" ,\n")));
}

std::optional<std::string> program_in(std::string_view path, const std::string& name) {
  while (!path.empty()) {
    const std::string_view directory = path.substr(0, path.find(':'));
    path.remove_prefix(std::min(directory.size() + 1, path.size()));
    const fs::path program = fs::path(directory) / name;
    std::error_code ignored;
    if (!directory.empty() && fs::is_regular_file(program, ignored) &&
        access(program.c_str(), X_OK) == 0) {
      return program.string();
    }
  }
  return std::nullopt;
}

// Appends, so that a line of the command stands on a line here.
void add(std::vector<std::string>& words, std::initializer_list<std::string> more) {
  words.insert(words.end(), more);
}

void add_open_mpi(std::vector<std::string>& words, const MpiJob& job, const std::string& hostfile) {
  add(words, {"--hostfile", hostfile, "-np", fmt::format("{}", job.ranks())});
  add(words, {"--map-by", fmt::format("ppr:{}:node", job.ranks_per_host), "--bind-to", "none"});
  if (!job.networks.empty()) add(words, {"--mca", "btl_tcp_if_include", job.networks});
  if (!job.launch_networks.empty()) {
    add(words, {"--mca", "oob_tcp_if_include", job.launch_networks});
  }
  add(words, {"--mca", "btl", "tcp,self,vader", "--mca", "btl_tcp_links", "4"});
  if (job.as_root) add(words, {"--allow-run-as-root"});
  for (const auto& [name, value] : job.environment) add(words, {"-x", name + "=" + value});
}

void add_environment(std::vector<std::string>& words, const MpiJob& job) {
  for (const auto& [name, value] : job.environment) add(words, {"-genv", name, value});
}

void add_mpich(std::vector<std::string>& words, const MpiJob& job, const std::string& hostfile) {
  add(words, {"-f", hostfile, "-np", fmt::format("{}", job.ranks())});
  add(words, {"-ppn", fmt::format("{}", job.ranks_per_host), "-bind-to", "none"});
  if (!job.interface.empty()) {
    add(words, {"-iface", job.interface});
    // -iface is for the processes' management; what carries messages, UCX or libfabric, has its
    // own.
    add(words, {"-genv", "UCX_NET_DEVICES", job.interface});
    add(words, {"-genv", "FI_TCP_IFACE", job.interface});
  }
  add_environment(words, job);
}

void add_intel(std::vector<std::string>& words, const MpiJob& job, const std::string& hostfile) {
  add(words, {"-f", hostfile, "-n", fmt::format("{}", job.ranks())});
  add(words, {"-ppn", fmt::format("{}", job.ranks_per_host), "-genv", "I_MPI_PIN", "0"});
  if (!job.interface.empty()) {
    add(words, {"-iface", job.interface, "-genv", "FI_TCP_IFACE", job.interface});
  }
  add_environment(words, job);
}

}  // namespace

std::string_view name_of(MpiKind kind) {
  switch (kind) {
    case MpiKind::kOpenMpi:
      return "Open MPI";
    case MpiKind::kMpich:
      return "MPICH";
    case MpiKind::kIntel:
      return "Intel MPI";
  }
  return "";
}

std::string_view package_of(MpiKind kind) {
  switch (kind) {
    case MpiKind::kOpenMpi:
      return "openmpi-bin";
    case MpiKind::kMpich:
      return "mpich";
    case MpiKind::kIntel:
      return "intel-oneapi-mpi";
  }
  return "";
}

std::optional<MpiLauncher> launcher_of_version(const std::string& program, std::string_view text) {
  // Intel MPI's launcher is a Hydra too, so it comes first.
  if (text.find("Intel(R) MPI") != text.npos) {
    return MpiLauncher{MpiKind::kIntel, program, word_after(text, "Version ")};
  }
  for (const std::string_view label : {"(Open MPI)", "(OpenRTE)"}) {
    if (text.find(label) == text.npos) continue;
    return MpiLauncher{MpiKind::kOpenMpi, program, word_after(text, label)};
  }
  if (text.find("HYDRA") != text.npos) {
    return MpiLauncher{MpiKind::kMpich, program, word_after(text, "Version:")};
  }
  return std::nullopt;
}

std::vector<MpiLauncher> find_launchers(std::string_view path) {
  std::vector<ProcessSpec> specs;
  for (const char* name :
       {"mpirun", "mpirun.openmpi", "mpirun.mpich", "mpiexec.hydra", "mpiexec"}) {
    if (const auto program = program_in(path, name))
      specs.push_back({.words = {*program, "--version"}});
  }
  const std::vector<ProcessResult> results = run_all(specs, std::chrono::seconds(5));
  std::vector<MpiLauncher> found;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const auto launcher = launcher_of_version(specs[i].words.front(), results[i].out);
    if (results[i].succeeded() && launcher) found.push_back(*launcher);
  }
  return found;
}

std::string daemon_of(const MpiLauncher& launcher) {
  const fs::path directory = fs::path(launcher.program).parent_path();
  switch (launcher.kind) {
    case MpiKind::kOpenMpi:
      return directory / "orted";
    case MpiKind::kMpich:
      return directory / "hydra_pmi_proxy";
    case MpiKind::kIntel:
      return directory / "hydra_bstrap_proxy";
  }
  return "";
}

int signal_to_end(MpiKind kind) { return kind == MpiKind::kOpenMpi ? SIGUSR1 : SIGTERM; }

std::string hostfile_for(MpiKind kind, const MpiJob& job) {
  std::string text;
  for (const std::string& host : job.hosts) {
    text += fmt::format("{}{}{}\n", host, kind == MpiKind::kOpenMpi ? " slots=" : ":",
                        job.ranks_per_host);
  }
  return text;
}

std::vector<std::string> launcher_words(const MpiLauncher& launcher, const MpiJob& job,
                                        const std::string& hostfile) {
  std::vector<std::string> words = {launcher.program};
  switch (launcher.kind) {
    case MpiKind::kOpenMpi:
      add_open_mpi(words, job, hostfile);
      break;
    case MpiKind::kMpich:
      add_mpich(words, job, hostfile);
      break;
    case MpiKind::kIntel:
      add_intel(words, job, hostfile);
      break;
  }
  words.insert(words.end(), job.program.begin(), job.program.end());
  return words;
}

}  // namespace tandem
