#include "hub/file_lock.h"

#include <cerrno>
#include <chrono>

#include <fcntl.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file_lock.h"
#include "base/log.h"

namespace tandem {
namespace {

FileDescriptor opened(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  // Writable by the group: people who share a cache wait for each other.
  FileDescriptor descriptor(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0664));
  if (descriptor.get() < 0) {
    throw WallError("{}: cannot be made: {}; HF_HUB_CACHE names another cache", path.string(),
                    errno_text(errno));
  }
  return descriptor;
}

// Whether the file that is locked is still the one that others would lock.
bool is_still_there(const FileDescriptor& descriptor, const std::filesystem::path& path) {
  struct stat locked {};
  struct stat there {};
  return fstat(descriptor.get(), &locked) == 0 && stat(path.c_str(), &there) == 0 &&
         locked.st_ino == there.st_ino && locked.st_dev == there.st_dev;
}

}  // namespace

FileLock::FileLock(const std::filesystem::path& path, const std::string& what)
    : descriptor_(opened(path)) {
  bool said = false;
  const auto say_once = [&](std::chrono::duration<double> waited) {
    if (!said && waited > std::chrono::seconds(1)) {
      log_info("{}: another process is fetching it; waiting for that", what);
      said = true;
    }
  };
  while (wait_for_lock(descriptor_, say_once)) {
    if (is_still_there(descriptor_, path)) {
      held_ = true;
      return;
    }
    descriptor_ = opened(path);
  }
}

}  // namespace tandem
