#pragma once
// One process at a time: the lock files of huggingface_hub's cache.

#include <filesystem>
#include <string>

#include "base/file.h"

namespace tandem {

// A lock by flock(2), as Python's filelock takes it, so that processes of both wait for each other.
// Some network file systems have none, and some say they do and let everyone in: who holds it may
// still not be alone, and must not lose data by that.
class FileLock {
 public:
  // Waits until no other process holds it, and says after a second what it waits for. Creates the
  // file, which stays. Throws Error with exit code 75 when interrupted, WallError when the file
  // can't be made.
  FileLock(const std::filesystem::path& path, const std::string& what);
  // Whether the file system has such locks at all.
  bool held() const { return held_; }

 private:
  FileDescriptor descriptor_;
  bool held_ = false;
};

}  // namespace tandem
