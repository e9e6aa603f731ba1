#pragma once
// The hosts of a job, as both families of MPI launchers have them written down.
//
//   h1 slots=2 max_slots=4    Open MPI (docs/launching-apps/scheduling.rst)
//   h2:2                      MPICH and Intel MPI (Hydra's -f)
//   h3                        either
// `#` starts a comment. A host that comes again adds its slots, one where none are said.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

// Each host is asked over an ssh of its own, all at once, with two pipes each: few enough for the
// usual limit of 1024 open files.
inline constexpr std::size_t kMaxHosts = 400;

struct Host {
  std::string name;
  std::optional<int> slots;      // processes that the file allows; nothing when it doesn't say
  std::optional<int> max_slots;  // even when more than `slots` are asked for
  int line = 0;                  // where it came first, from 1
  friend bool operator==(const Host&, const Host&) = default;
};

// Throws UsageError with line and column of what isn't as above; of a name with other characters
// than letters, digits and ._-: or a leading '-', which ssh or a remote shell could take for
// something else than a name; of more than kMaxHosts; of no host at all. `path` is for messages.
std::vector<Host> parse_hostfile(std::string_view text, const std::string& path);

// The same for a file of at most 1 MiB.
std::vector<Host> read_hostfile(const std::filesystem::path& path);

}  // namespace tandem
