#pragma once
// Whether this process was started as one of several.

namespace tandem {

// Throws UsageError when an MPI launcher, Slurm or torchrun says that this process is one of N:
// N copies that each think they are alone would all train the same model and write the same files.
void refuse_several_processes();

}  // namespace tandem
