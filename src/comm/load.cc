#include "comm/load.h"

#include <string_view>
#include <system_error>

#include <dlfcn.h>

#include "base/error.h"
#include "comm/plugin.h"

namespace tandem {
namespace {

struct Library {
  const char* name;
  const char* file;
  const char* mend;  // when the library is missing
  const char* plugin;
  const char* headers;  // the package that the plugin is built with
};

Library library_of(Transport transport) {
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
    case Transport::kOneCcl:
      return {"oneCCL", "libccl.so.1",
              "install intel-oneapi-ccl and source its setvars.sh before the launcher",
              "tandem_oneccl.so", "intel-oneapi-ccl-devel"};
    case Transport::kNone:
      break;
  }
  TANDEM_CHECK(false, "a job of one process needs no MPI");
}

std::string loader_error() {
  const char* const text = dlerror();
  return text == nullptr ? "no reason given" : text;
}

// Asked first, since a library that was loaded stays.
void check_plugin_exists(const Library& library, const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    throw MachineError(
        "{}: there is no such plugin, which {} needs: install {} and build Tandem again",
        path.string(), library.name, library.headers);
  }
}

// The library, then its plugin, which needs the library's symbols.
const Plugin& load_plugin(Transport transport, const std::filesystem::path& directory) {
  const Library library = library_of(transport);
  const std::filesystem::path path = directory / library.plugin;
  check_plugin_exists(library, path);
  // Its symbols are for the plugin and for the library's own components.
  if (dlopen(library.file, RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    throw MachineError("{} can't be loaded: {}; {}", library.name, loader_error(), library.mend);
  }
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    throw MachineError("the plugin for {} can't be loaded: {}", library.name, loader_error());
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
  const Plugin& plugin = load_plugin(transport, plugin_directory);
  if (transport != Transport::kOneCcl) return plugin.join_job(nullptr);
  // Both are loaded before the job is joined: a process that has joined can't leave it alone.
  const Plugin& mpi = load_plugin(Transport::kIntelMpi, plugin_directory);
  return plugin.join_job(mpi.join_job(nullptr));
}

}  // namespace tandem
