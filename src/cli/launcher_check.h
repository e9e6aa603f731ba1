#pragma once
// Whether this process was started as one of several, and what they can talk over.

#include "comm/load.h"

namespace tandem {

// From the variables that MPI launchers, Slurm and torchrun set. One process, whatever started it,
// needs no transport (kNone).
LauncherEnvironment launcher_environment();

// Throws UsageError when it has several processes, but nothing that Tandem can talk over.
Transport transport_of(const LauncherEnvironment& environment);

// Throws UsageError when this process is one of several: N copies that each think they are alone
// would all do the same work and write the same files.
void refuse_several_processes();

}  // namespace tandem
