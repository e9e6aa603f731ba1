#pragma once
// The options of `tandem train` that say how it learns, and what happens on the way.

#include <CLI/CLI.hpp>

#include "cli/train_flags.h"

namespace tandem {

void add_optimizer_flags(CLI::App& command, TrainFlags& flags);
void add_loop_flags(CLI::App& command, TrainFlags& flags);
void add_series_flags(CLI::App& command, TrainFlags& flags);

// Throws UsageError for those that contradict each other or lack what they need.
void check_loop_flags(const TrainFlags& flags);

}  // namespace tandem
