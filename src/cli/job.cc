#include "cli/job.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <map>
#include <new>
#include <optional>
#include <thread>

#include <fmt/ranges.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/error.h"
#include "base/log.h"
#include "cli/launcher_check.h"
#include "comm/collectives.h"
#include "comm/load.h"
#include "train/agreement.h"

namespace tandem {
namespace {

// As the flag says, or the launcher; nothing for one process alone.
std::optional<Transport> transport_for(const JobFlags& flags,
                                       const LauncherEnvironment& environment) {
  static const std::map<std::string, Transport> kTransports = {{"openmpi", Transport::kOpenMpi},
                                                               {"mpich", Transport::kMpich},
                                                               {"impi", Transport::kIntelMpi},
                                                               {"oneccl", Transport::kOneCcl}};
  if (flags.comm == "none" && environment.processes > 1) {
    throw UsageError("--comm none, but {} started {} processes ({})", environment.launcher,
                     environment.processes, environment.variable);
  }
  if (flags.comm == "none" || (flags.comm == "auto" && environment.processes == 1)) {
    return std::nullopt;
  }
  return flags.comm == "auto" ? transport_of(environment) : kTransports.at(flags.comm);
}

std::unique_ptr<Communicator> join(const JobFlags& flags) {
  const LauncherEnvironment environment = launcher_environment();
  const std::optional<Transport> transport = transport_for(flags, environment);
  if (!transport) return nullptr;
  std::unique_ptr<Communicator> communicator =
      load_communicator(*transport, usual_plugin_directory());
  // With another MPI than the launcher's, each process finds itself alone: N jobs that all do the
  // same work and write the same files.
  if (communicator->size() != environment.processes) {
    throw UsageError(
        "{} finds {} process{}, but {} processes were started ({}): use the mpirun of the same "
        "MPI, or name its MPI by --comm",
        communicator->description(), communicator->size(), communicator->size() == 1 ? "" : "es",
        environment.processes,
        environment.variable.empty() ? "no launcher is seen" : environment.variable);
  }
  if (communicator->size() == 1) return nullptr;
  return communicator;
}

}  // namespace

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "unknown host";
  const std::string whole(name.data());
  return whole.substr(0, whole.find('.'));
}

void add_job_flags(CLI::App& command, JobFlags& flags) {
  constexpr const char* kGroup = "Several machines";
  command
      .add_option("--comm", flags.comm,
                  "what processes of one job talk over: auto (their launcher's), openmpi, mpich, "
                  "impi, oneccl (over Intel MPI) or none")
      ->check(CLI::IsMember({"auto", "none", "openmpi", "mpich", "impi", "oneccl"}))
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--comm-cores", flags.comm_cores,
                  "cores of each process left to communication; -1: one of eight or more")
      ->check(CLI::Range(-1, 64))
      ->capture_default_str()
      ->group(kGroup);
}

Job::Job(const JobFlags& flags) : flags_(flags), communicator_(join(flags)) {
  if (alone()) return;
  if (!root()) silence_log();
  hosts_ = all_gather_texts(*communicator_, host_name(), "host names");
  log_info("job: {} processes on {} by {}", communicator_->size(), fmt::join(hosts_, ", "),
           communicator_->description());
}

int Job::take_cores() const {
  const CpuLimits limits = cpu_limits();
  if (alone()) return limits.usable_cores();
  const auto rank = static_cast<std::size_t>(communicator_->rank());
  const std::string& here = hosts_[rank];
  const auto processes = static_cast<int>(std::ranges::count(hosts_, here));
  const auto place =
      static_cast<int>(std::count(hosts_.begin(), hosts_.begin() + communicator_->rank(), here));
  const CoreShare share = share_of_cores(limits.cores, cores_of_machine(), place, processes);
  if (share.widened) {
    log_info("cores: the launcher bound this process to {} of them; its share of all is used",
             limits.cores.size());
  }
  std::vector<int> cpus;
  for (const CpuCore& core : share.cores) {
    cpus.insert(cpus.end(), core.cpus.begin(), core.cpus.end());
  }
  if (share.widened || processes > 1) run_on(cpus);
  auto cores = static_cast<int>(share.cores.size());
  if (limits.cgroup_cpus > 0) {
    cores = std::min(cores, static_cast<int>(std::ceil(limits.cgroup_cpus / processes)));
  }
  cores = std::max(1, cores);
  constexpr int kManyCores = 8;
  const int left = flags_.comm_cores >= 0 ? flags_.comm_cores : (cores >= kManyCores ? 1 : 0);
  if (left >= cores) {
    throw UsageError("--comm-cores {} leaves none of this process's {} cores to computing", left,
                     cores);
  }
  return cores - left;
}

void Job::run(const std::function<void()>& body) const {
  if (alone()) {
    body();
    return;
  }
  const auto end_job = [&](const char* what, ExitCode code) {
    const int rank = communicator_->rank();
    log_error(fmt::format("tandem: [rank {} on {}] {}", rank,
                          hosts_[static_cast<std::size_t>(rank)], what));
    communicator_->abort(static_cast<int>(code));
  };
  try {
    body();
  } catch (const Error& error) {
    // The root says what all found, and ends the others, which it may take a moment to do.
    const bool all_found_it = dynamic_cast<const Disagreement*>(&error) != nullptr ||
                              error.exit_code() == ExitCode::kInterrupted;
    constexpr std::chrono::seconds kUntilEnded{5};
    if (!root() && all_found_it) std::this_thread::sleep_for(kUntilEnded);
    end_job(error.what(), error.exit_code());
  } catch (const std::bad_alloc&) {
    end_job("out of memory; use a smaller batch, a shorter --max-seq-length or fewer rows",
            ExitCode::kMachine);
  }
}

}  // namespace tandem
