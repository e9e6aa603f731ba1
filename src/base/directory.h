#pragma once
// Directories that are complete or not there at all.

#include <filesystem>
#include <memory>

#include "base/file.h"

namespace tandem {

// A directory's entries are durable only after the directory itself is synced. Throws WallError.
void sync_directory(const std::filesystem::path& directory);

// A directory that becomes visible at once: its files are written into a sibling with a temporary
// name, which commit() renames. Without commit() the destructor removes it.
class StagedDirectory {
 public:
  explicit StagedDirectory(const std::filesystem::path& destination);
  ~StagedDirectory();
  StagedDirectory(const StagedDirectory&) = delete;
  StagedDirectory& operator=(const StagedDirectory&) = delete;

  StagedFiles& files() { return *files_; }
  // All files are synced before the directory gets its name. One that is there already is moved
  // aside first and removed last, so that there is at any time an old or a new one, whole, under
  // this or a temporary name. Throws WallError.
  void commit();

 private:
  std::filesystem::path destination_, temporary_;
  std::unique_ptr<StagedFiles> files_;
};

}  // namespace tandem
