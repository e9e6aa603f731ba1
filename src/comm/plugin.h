#pragma once
// What the program and its plugins agree on. A plugin is a shared object that was compiled against
// one library's headers and linked to none: the loader brings the library into the process first.

#include <memory>

#include "comm/communicator.h"

namespace tandem {

// The program's version and a hash of the headers that both sides were compiled with.
inline constexpr const char* kPluginInterface = TANDEM_PLUGIN_INTERFACE;

// The first member stays the first, so that a plugin of any version can be asked.
struct Plugin {
  const char* interface;
  // Joins this process to its job; once in a process. oneCCL's builds on the MPI that started the
  // job, `beneath`; an MPI's plugin is given none. Throws MachineError when the library isn't fit
  // for it. Many failures of MPI's own end the process there, with its message.
  std::unique_ptr<Communicator> (*join_job)(std::unique_ptr<Communicator> beneath);
};

}  // namespace tandem

// Exported by each plugin under this name.
extern "C" __attribute__((visibility("default"))) const tandem::Plugin* tandem_plugin();
