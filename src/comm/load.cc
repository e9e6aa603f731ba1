#include "comm/load.h"

#include <string_view>
#include <system_error>

#include <dlfcn.h>

#include "base/error.h"
#include "comm/plugin.h"
#include "comm/self_communicator.h"

namespace tandem {
namespace {

struct Mpi {
  const char* name;
  const char* library;
  const char* mend;  // when the library is missing
  const char* plugin;
  const char* headers;  // the package that the plugin is built with
};

Mpi mpi_of(Transport transport) {
  switch (transport) {
    case Transport::kOpenMpi:
      return {"Open MPI", "libmpi.so.40", "install it: apt-get install openmpi-bin",
              "tandem_openmpi.so", "libopenmpi-dev"};
    case Transport::kMpich:
      return {"MPICH", "libmpich.so.12", "install it: apt-get install mpich", "tandem_mpich.so",
              "libmpich-dev"};
    case Transport::kIntelMpi:
      // It has MPICH's binary interface.
      return {"Intel MPI", "libmpi.so.12",
              "install intel-oneapi-mpi and source its setvars.sh before the launcher",
              "tandem_mpich.so", "libmpich-dev"};
    case Transport::kSelf:
      break;
  }
  TANDEM_CHECK(false, "a job of one process needs no MPI");
}

std::string loader_error() {
  const char* const text = dlerror();
  return text == nullptr ? "no reason given" : text;
}

// Asked first, since a library that was loaded stays.
void check_plugin_exists(const Mpi& mpi, const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    throw MachineError(
        "{}: there is no such plugin, which {} needs: install {} and build Tandem again",
        path.string(), mpi.name, mpi.headers);
  }
}

const Plugin& load_plugin(const Mpi& mpi, const std::filesystem::path& path) {
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    throw MachineError("the plugin for {} can't be loaded: {}", mpi.name, loader_error());
  }
  const auto plugin = reinterpret_cast<decltype(&tandem_plugin)>(dlsym(handle, "tandem_plugin"));
  if (plugin == nullptr) {
    throw MachineError("{}: not a plugin of Tandem: {}", path.string(), loader_error());
  }
  if (plugin()->interface != std::string_view(kPluginInterface)) {
    throw MachineError("{}: made for Tandem {}, this is {}; build or install both together",
                       path.string(), plugin()->interface, kPluginInterface);
  }
  return *plugin();
}

}  // namespace

std::filesystem::path usual_plugin_directory() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) {
    throw MachineError("/proc/self/exe cannot be read, so plugins can't be found: {}",
                       error.message());
  }
  return program.parent_path() / "plugins";
}

std::unique_ptr<Communicator> load_communicator(Transport transport,
                                                const std::filesystem::path& plugin_directory) {
  if (transport == Transport::kSelf) return std::make_unique<SelfCommunicator>();
  const Mpi mpi = mpi_of(transport);
  const std::filesystem::path plugin = plugin_directory / mpi.plugin;
  check_plugin_exists(mpi, plugin);
  // Its symbols are for the plugin and for the MPI's own components.
  if (dlopen(mpi.library, RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    throw MachineError("{} can't be loaded: {}; {}", mpi.name, loader_error(), mpi.mend);
  }
  return load_plugin(mpi, plugin).join_job();
}

}  // namespace tandem
