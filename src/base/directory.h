#pragma once
// Directories that are complete or not there at all.

#include <chrono>
#include <filesystem>
#include <memory>
#include <string_view>

#include "base/file.h"

namespace tandem {

// A directory's entries are durable only after the directory itself is synced. Throws WallError.
void sync_directory(const std::filesystem::path& directory);

// Whether a file or directory of this name was still being written, by this program, when it got
// it.
bool is_half_written(std::string_view name);
// Removes what killed processes left half-written in a directory. What belongs to a process of this
// machine that is still running stays.
void remove_half_written(const std::filesystem::path& directory);

// Held by the one process that writes to a directory, and free again when that ends, however it
// ends.
class DirectoryLock {
 public:
  // Waits, and says so, while another process holds it. Throws MachineError after `longest`, and as
  // wait_for_lock. Where the file system has no locks for directories nothing is held.
  DirectoryLock(const std::filesystem::path& directory, std::chrono::seconds longest);

 private:
  FileDescriptor descriptor_;
};

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
