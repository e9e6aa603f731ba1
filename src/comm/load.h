#pragma once
// Brings an MPI, or oneCCL over one, into the process when a job needs it. The program is linked to
// none.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "comm/communicator.h"

namespace tandem {

// kNone: one process alone. kOneCcl is oneCCL in a job that Intel MPI's launcher started.
enum class Transport { kNone, kOpenMpi, kMpich, kIntelMpi, kOneCcl };

// What started this process.
struct LauncherEnvironment {
  std::string launcher;  // for people, e.g. "Open MPI's mpirun"; empty: none
  int processes = 1;     // of the job
  // What its processes can talk over; none when that can't be told or isn't supported.
  std::optional<Transport> transport = Transport::kNone;
  std::string variable;  // that told it, e.g. "PMI_SIZE=2"
};

// The folder `plugins` beside the running program.
std::filesystem::path usual_plugin_directory();

// Joins this process to its job, once in a process. The library stays loaded until the process
// ends; the job is left in good order when the communicator is destroyed by a thread that isn't
// unwinding, with all operations done. Throws MachineError that names the package to install when
// the library or its plugin can't be loaded.
std::unique_ptr<Communicator> load_communicator(Transport transport,
                                                const std::filesystem::path& plugin_directory);

}  // namespace tandem
