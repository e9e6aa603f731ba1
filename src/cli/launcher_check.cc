#include "cli/launcher_check.h"

#include <cstdlib>
#include <string>

#include "base/error.h"

namespace tandem {

void refuse_several_processes() {
  // Each launcher's own word for the number of processes it started.
  struct Launcher {
    const char* variable;
    const char* name;
  };
  constexpr Launcher kLaunchers[] = {{"OMPI_COMM_WORLD_SIZE", "Open MPI's mpirun"},
                                     {"PMI_SIZE", "an MPICH or Intel MPI launcher"},
                                     {"MPI_LOCALNRANKS", "an MPICH or Intel MPI launcher"},
                                     {"SLURM_STEP_NUM_TASKS", "Slurm's srun"},
                                     {"WORLD_SIZE", "torchrun"}};
  for (const Launcher& launcher : kLaunchers) {
    const char* const value = std::getenv(launcher.variable);
    if (value == nullptr) continue;
    char* end = nullptr;
    const long processes = std::strtol(value, &end, 10);
    if (end == value || processes <= 1) continue;
    throw UsageError(
        "started as one of {} processes by {} ({}={}); this version trains with one process: start "
        "it without the launcher, or with -np 1",
        processes, launcher.name, launcher.variable, value);
  }
}

}  // namespace tandem
