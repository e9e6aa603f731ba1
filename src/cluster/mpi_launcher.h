#pragma once
// The programs that start the ranks of an MPI job, and the command line that each of them wants.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem {

enum class MpiKind { kOpenMpi, kMpich, kIntel };

std::string_view name_of(MpiKind kind);  // "Open MPI"
// The Debian package, or what stands for it in a sentence.
std::string_view package_of(MpiKind kind);

struct MpiLauncher {
  MpiKind kind = MpiKind::kOpenMpi;
  std::string program;  // its path
  std::string version;  // "4.1.4"; empty when it doesn't say
};

// Which launcher prints this when asked for --version; nothing for another program.
std::optional<MpiLauncher> launcher_of_version(const std::string& program, std::string_view text);

// Those in the directories of `path` (as PATH has them), each asked for its version: first what is
// called mpirun there, which the user has chosen to be so, then those with names of their own.
std::vector<MpiLauncher> find_launchers(std::string_view path);

// What the launcher starts on each other host before the ranks: a path, which must be the same
// there.
std::string daemon_of(const MpiLauncher& launcher);

// The signal by which the ranks are asked to save and end. Open MPI's mpirun kills them a second
// after its own SIGINT or SIGTERM, but passes SIGUSR1 on; a Hydra passes on all.
int signal_to_end(MpiKind kind);

struct MpiJob {
  std::vector<std::string> hosts;
  int ranks_per_host = 1;
  std::vector<std::string> program;  // with its arguments
  std::string interface;             // to the peers, the same name on every host; or empty
  std::string networks;              // in which the hosts reach each other, e.g. "10.0.0.0/24"
  std::string launch_networks;       // in which the launching host reaches them
  std::vector<std::pair<std::string, std::string>> environment;  // set for every rank
  bool as_root = false;

  int ranks() const { return static_cast<int>(hosts.size()) * ranks_per_host; }
};

// The file of hosts in the launcher's own dialect, with as many slots as ranks are wanted.
std::string hostfile_for(MpiKind kind, const MpiJob& job);

// The launcher's argument vector; ranks are numbered host by host. Nothing is bound: Tandem places
// its threads itself. Written for Open MPI 4.1, MPICH 4 and Intel MPI 2021.
std::vector<std::string> launcher_words(const MpiLauncher& launcher, const MpiJob& job,
                                        const std::string& hostfile);

}  // namespace tandem
