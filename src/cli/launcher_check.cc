#include "cli/launcher_check.h"

#include <cstdlib>
#include <string_view>

#include <unistd.h>

#include "base/error.h"

namespace tandem {
namespace {

constexpr const char* kSlurm = "Slurm's srun";

// The number of processes that a launcher's variable gives; 1 when it isn't set or no number.
int processes_by(const char* variable) {
  const char* const value = std::getenv(variable);
  if (value == nullptr) return 1;
  char* end = nullptr;
  const long processes = std::strtol(value, &end, 10);
  return end == value || processes < 1 ? 1 : static_cast<int>(processes);
}

bool is_set(const char* variable) { return std::getenv(variable) != nullptr; }

bool any_starts_with(std::string_view prefix) {
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    if (std::string_view(*variable).starts_with(prefix)) return true;
  }
  return false;
}

// Intel's launcher is Hydra, as MPICH's is; what Intel's tells its processes of the machine tells
// them apart. Other I_MPI_ variables may be a person's, written for Intel MPI and kept.
Transport transport_of_hydra() {
  const bool intel = is_set("I_MPI_HYDRA_UUID") || any_starts_with("I_MPI_INFO_");
  return intel ? Transport::kIntelMpi : Transport::kMpich;
}

// srun itself speaks for no MPI: its plugin for PMI decides which one finds its peers.
std::optional<Transport> transport_of_slurm() {
  if (is_set("PMIX_RANK")) return Transport::kOpenMpi;
  // Under srun Intel MPI is told by its settings alone where to find PMI.
  if (is_set("PMI_RANK")) {
    return any_starts_with("I_MPI_") ? Transport::kIntelMpi : Transport::kMpich;
  }
  return std::nullopt;
}

}  // namespace

LauncherEnvironment launcher_environment() {
  struct Launcher {
    const char* variable;
    const char* name;
    std::optional<Transport> transport;
  };
  const Transport hydra = transport_of_hydra();
  const char* const hydra_name =
      hydra == Transport::kIntelMpi ? "Intel MPI's mpirun" : "MPICH's mpirun";
  // The innermost first: mpirun may itself run under Slurm.
  const Launcher launchers[] = {{"OMPI_COMM_WORLD_SIZE", "Open MPI's mpirun", Transport::kOpenMpi},
                                {"PMI_SIZE", hydra_name, hydra},
                                {"MPI_LOCALNRANKS", hydra_name, hydra},
                                {"SLURM_STEP_NUM_TASKS", kSlurm, transport_of_slurm()},
                                {"WORLD_SIZE", "torchrun", std::nullopt}};
  for (const Launcher& launcher : launchers) {
    const int processes = processes_by(launcher.variable);
    if (processes == 1) continue;
    return {.launcher = launcher.name,
            .processes = processes,
            .transport = launcher.transport,
            .variable = fmt::format("{}={}", launcher.variable, std::getenv(launcher.variable))};
  }
  return {};
}

Transport transport_of(const LauncherEnvironment& environment) {
  if (environment.transport.has_value()) return *environment.transport;
  throw UsageError(
      "started as one of {} processes by {} ({}), without an MPI for them to talk over: start them "
      "with {}mpirun",
      environment.processes, environment.launcher, environment.variable,
      environment.launcher == kSlurm ? "`srun --mpi=pmix` or " : "");
}

void refuse_several_processes() {
  const LauncherEnvironment environment = launcher_environment();
  if (environment.processes == 1) return;
  throw UsageError(
      "started as one of {} processes by {} ({}); only `tandem train` works as several: start this "
      "command without the launcher, or with -np 1",
      environment.processes, environment.launcher, environment.variable);
}

}  // namespace tandem
