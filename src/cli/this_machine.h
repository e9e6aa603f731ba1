#pragma once
// This machine as `tandem doctor` sees it: what Linux tells of it, its kernels and their speed, and
// the MPIs that are installed.

#include <filesystem>
#include <string>
#include <vector>

#include "cluster/machine_facts.h"
#include "cluster/mpi_launcher.h"

namespace tandem {

// The launchers on PATH.
std::vector<MpiLauncher> launchers_on_path();

// The plugin that a job started by such a launcher needs: whether it is beside the program.
bool has_plugin_for(MpiKind kind);

// With `and_rate`, measures products for about half a second. `output_directory` and `token` are
// gather_facts'.
MachineFacts facts_of_this_machine(const std::filesystem::path& output_directory,
                                   const std::string& token, bool and_rate = true);

}  // namespace tandem
