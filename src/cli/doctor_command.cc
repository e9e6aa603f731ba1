// tandem doctor: whether this machine, or all hosts of a job, are fit for it.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/doctor_text.h"
#include "cli/shared_flags.h"
#include "cli/this_machine.h"
#include "cluster/examination.h"
#include "cluster/host_helper.h"
#include "formats/json.h"

namespace tandem {
namespace {

// A helper that nobody ends, since the launching host has died, ends itself.
constexpr unsigned kHelperSeconds = 60;

struct DoctorFlags {
  std::string hostfile, output_directory;
  bool json = false;
  std::string listen, token;  // of a helper
  bool quick = false;
};

// An empty file in a directory, gone with this object: another host that sees it shares the
// directory.
class TokenFile {
 public:
  explicit TokenFile(const std::string& directory) {
    if (directory.empty()) return;
    const std::string name = fmt::format(".tandem-doctor-{}", getpid());
    const std::filesystem::path path = existing_place(directory) / name;
    if (!std::ofstream(path, std::ios::app)) return;
    path_ = path;
  }
  ~TokenFile() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove(path_, ignored);
  }
  TokenFile(const TokenFile&) = delete;
  TokenFile& operator=(const TokenFile&) = delete;
  std::string name() const { return path_.filename().string(); }

 private:
  std::filesystem::path path_;
};

void print_json(const nlohmann::json& json) {
  fmt::print("{}\n", python_json(json, {.indent = std::nullopt}));
}

int exit_code_of(std::span<const Finding> findings) {
  return static_cast<int>(any_error(findings) ? ExitCode::kMachine : ExitCode::kDone);
}

int help_doctor(const DoctorFlags& flags) {
  alarm(kHelperSeconds);
  run_helper(
      flags.listen,
      [&] { return facts_of_this_machine(flags.output_directory, flags.token, !flags.quick); },
      std::cin,
      [](std::string_view line) {
        fmt::print("{}\n", line);
        std::fflush(stdout);
      });
  return static_cast<int>(ExitCode::kDone);
}

int examine_this_machine(const DoctorFlags& flags) {
  const TokenFile token(flags.output_directory);
  const MachineFacts facts = facts_of_this_machine(flags.output_directory, token.name());
  std::vector<Finding> findings = machine_findings("this machine", facts);
  std::ranges::move(output_findings("this machine", facts.output), std::back_inserter(findings));
  std::ranges::stable_sort(findings, {}, &Finding::severity);
  if (flags.json) {
    print_json(machine_json(facts, findings));
  } else {
    fmt::print("{}{}", machine_text(facts), findings_text(findings));
  }
  return exit_code_of(findings);
}

Finding launcher_finding(const std::optional<MpiLauncher>& launcher) {
  if (!launcher) {
    return {Severity::kError, "this host",
            "this host: no MPI launcher is on PATH; `sudo apt install openmpi-bin` (or mpich) on "
            "every host"};
  }
  return {Severity::kError, "this host",
          fmt::format("this host: {} is there, but Tandem was built without a plugin for it; "
                      "install its headers (lib{}-dev) and build again",
                      name_of(launcher->kind),
                      launcher->kind == MpiKind::kOpenMpi ? "openmpi" : "mpich")};
}

int examine_job(const DoctorFlags& flags) {
  const std::vector<Host> hosts = read_hostfile(flags.hostfile);
  const std::vector<MpiLauncher> launchers = launchers_on_path();
  const TokenFile token(flags.output_directory);
  ExaminationRequest request{
      .program = std::filesystem::read_symlink("/proc/self/exe").string(),
      .version = TANDEM_VERSION,
      .launcher = launchers.empty() ? std::nullopt : std::optional(launchers.front()),
      .output_directory = flags.output_directory.empty()
                              ? ""
                              : std::filesystem::absolute(flags.output_directory).string(),
      .token = token.name()};
  Examination examination = examine_hosts(hosts, request);
  if (!request.launcher || !has_plugin_for(request.launcher->kind)) {
    examination.findings.insert(examination.findings.begin(), launcher_finding(request.launcher));
  }
  if (flags.json) {
    print_json(examination_json(examination));
  } else {
    fmt::print("{}{}", hosts_text(examination), findings_text(examination.findings));
  }
  return exit_code_of(examination.findings);
}

int examine(const DoctorFlags& flags) {
  if (!flags.listen.empty()) return help_doctor(flags);
  return flags.hostfile.empty() ? examine_this_machine(flags) : examine_job(flags);
}

}  // namespace

void add_doctor_command(CLI::App& app, int& exit_code) {
  CLI::App& command = *app.add_subcommand(
      "doctor",
      "Tell whether this machine, or all hosts of a job, are fit for it, and what mends "
      "them.");
  const auto flags = std::make_shared<DoctorFlags>();
  command
      .add_option("--hostfile,--machinefile", flags->hostfile,
                  "examine these hosts, as `tandem launch` takes them; at most 15 seconds")
      ->option_text("FILE");
  command
      .add_option("--output-dir,--output", flags->output_directory,
                  "where the job will write: is there room, and is it shared?")
      ->option_text("DIR");
  add_json_flag(command, flags->json);
  // What this command starts on every host; an empty group isn't shown.
  command.add_option("--listen", flags->listen, "answer the doctor of another host")->group("");
  command.add_option("--token", flags->token, "a file in the output directory")->group("");
  command.add_flag("--quick", flags->quick, "measure no products")->group("");
  command.callback([flags, &exit_code] { exit_code = examine(*flags); });
}

}  // namespace tandem
