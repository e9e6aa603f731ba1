#include "cli/job.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <new>
#include <thread>

#include <fmt/ranges.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "cli/launcher_check.h"
#include "comm/collectives.h"
#include "comm/load.h"
#include "train/agreement.h"

namespace tandem {
namespace {

std::unique_ptr<Communicator> join(const JobFlags& flags) {
  static const std::map<std::string, Transport> kTransports = {{"openmpi", Transport::kOpenMpi},
                                                               {"mpich", Transport::kMpich},
                                                               {"impi", Transport::kIntelMpi}};
  const LauncherEnvironment environment = launcher_environment();
  if (flags.comm == "auto") {
    if (environment.processes == 1) return nullptr;
    return load_communicator(transport_of(environment), usual_plugin_directory());
  }
  if (flags.comm == "none") {
    if (environment.processes == 1) return nullptr;
    throw UsageError("--comm none, but {} started {} processes ({})", environment.launcher,
                     environment.processes, environment.variable);
  }
  std::unique_ptr<Communicator> communicator =
      load_communicator(kTransports.at(flags.comm), usual_plugin_directory());
  // The wrong MPI for a launcher makes as many jobs of one process each.
  if (communicator->size() != environment.processes) {
    throw UsageError("--comm {} finds {} process{}, but {} started {} ({})", flags.comm,
                     communicator->size(), communicator->size() == 1 ? "" : "es",
                     environment.launcher, environment.processes, environment.variable);
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
                  "impi or none")
      ->check(CLI::IsMember({"auto", "none", "openmpi", "mpich", "impi"}))
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

int Job::processes_here() const {
  if (alone()) return 1;
  const std::string& here = hosts_[static_cast<std::size_t>(communicator_->rank())];
  return static_cast<int>(std::ranges::count(hosts_, here));
}

int Job::compute_threads(int usable_cores) const {
  const int share = std::max(1, usable_cores / processes_here());
  if (alone()) return share;
  constexpr int kManyCores = 8;
  const int left = flags_.comm_cores >= 0 ? flags_.comm_cores : (share >= kManyCores ? 1 : 0);
  if (left >= share) {
    throw UsageError("--comm-cores {} leaves none of this process's {} cores to computing", left,
                     share);
  }
  return share - left;
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
  } catch (const Disagreement& error) {
    // The root says it for all and ends the others, which it may take a moment to do.
    constexpr std::chrono::seconds kUntilEnded{5};
    if (!root()) std::this_thread::sleep_for(kUntilEnded);
    end_job(error.what(), error.exit_code());
  } catch (const Error& error) {
    end_job(error.what(), error.exit_code());
  } catch (const std::bad_alloc&) {
    end_job("out of memory; use a smaller batch, a shorter --max-seq-length or fewer rows",
            ExitCode::kMachine);
  }
}

}  // namespace tandem
