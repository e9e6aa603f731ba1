#pragma once
// The directory that a command writes to: checked before the work, so that nothing is overwritten
// and hours of work don't end at a full disk.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/directory.h"

namespace tandem {

// Removes the directories that a path lacked, unless something was put into them since.
class MissingDirectories {
 public:
  explicit MissingDirectories(const std::filesystem::path& path);
  ~MissingDirectories();
  MissingDirectories(const MissingDirectories&) = delete;
  MissingDirectories& operator=(const MissingDirectories&) = delete;

 private:
  std::vector<std::filesystem::path> missing_;  // innermost first
};

// A directory that isn't there yet, called as a file of rows: rte-model, or rte-model-2, ... for
// rte.tsv or rte.tsv.gz.
std::filesystem::path new_directory_beside(const std::filesystem::path& rows);

class OutputDirectory {
 public:
  // Throws UsageError when `path` is there and not empty, unless `overwrite`; WallError when it
  // cannot be made or written to, MachineError when another process keeps writing to it. A
  // directory that is made for a run which fails goes again.
  OutputDirectory(const std::filesystem::path& path, bool overwrite);
  const std::filesystem::path& path() const { return path_; }
  // Throws WallError when the volume has less space than that.
  void check_space_for(std::int64_t bytes) const;

 private:
  std::filesystem::path path_;
  MissingDirectories missing_;
  std::optional<DirectoryLock> lock_;
};

}  // namespace tandem
