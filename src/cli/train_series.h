#pragma once
// Several trainings in a row, of which the best becomes the output directory's model.

#include "cli/train_flags.h"
#include "cli/train_job.h"

namespace tandem {

// --seeds N: the same with seed, seed + 1, ... in seed-<s>/ of the output directory. Prints a table
// with mean and standard deviation and writes it as seeds.json.
void train_with_seeds(TrainJob& job, const TrainFlags& flags);

// --autotune TIME: what LearningSearch tries, in trial-<n>/, of which only the best stays, in the
// output directory itself. Prints a table and writes it as autotune.json.
void autotune(TrainJob& job, const TrainFlags& flags);

}  // namespace tandem
