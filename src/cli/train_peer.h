#pragma once
// The part of a training run that ranks other than the root take.

#include "cli/job.h"
#include "cli/train_flags.h"
#include "nn/compute.h"
#include "train/trainer.h"

namespace tandem {

// Receives what the root read, trains and evaluates with it; writes nothing.
void train_as_peer(const TrainFlags& flags, const Job& job, Compute& compute);

// Returns on all ranks once rank 0, which calls it last, has saved what there is to be saved.
void wait_for_last_save(Communicator& communicator);

// Throws MachineError with the numbers when this machine lacks the memory of the plan.
void check_memory(const MemoryPlan& memory);

}  // namespace tandem
