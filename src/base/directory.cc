#include "base/directory.h"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

namespace tandem {
namespace {

std::filesystem::path sibling(const std::filesystem::path& path, const char* kind) {
  return path.parent_path() /
         fmt::format(".{}.{}-{}", path.filename().string(), kind, static_cast<int>(getpid()));
}

void rename_or_throw(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::error_code error;
  std::filesystem::rename(from, to, error);
  if (error) throw WallError("{}: cannot be put in place: {}", to.string(), error.message());
}

}  // namespace

void sync_directory(const std::filesystem::path& directory) {
  const FileDescriptor descriptor(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some network file systems can't sync a directory: their renames are durable or they are not.
  if (descriptor.get() < 0 || (fsync(descriptor.get()) != 0 && errno != EINVAL)) {
    throw WallError("{}: cannot be synced: {}", directory.string(), errno_text(errno));
  }
}

StagedDirectory::StagedDirectory(const std::filesystem::path& destination)
    : destination_(std::filesystem::absolute(destination)),
      temporary_(sibling(destination_, "tmp")) {
  std::error_code ignored;
  std::filesystem::remove_all(temporary_, ignored);  // of a process that had the same id
  files_ = std::make_unique<StagedFiles>(temporary_);
}

StagedDirectory::~StagedDirectory() {
  files_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(temporary_, ignored);
}

void StagedDirectory::commit() {
  files_->commit();
  const std::filesystem::path old = sibling(destination_, "old");
  std::error_code ignored;
  std::filesystem::remove_all(old, ignored);
  if (std::filesystem::exists(destination_, ignored)) rename_or_throw(destination_, old);
  rename_or_throw(temporary_, destination_);
  sync_directory(destination_.parent_path());
  std::filesystem::remove_all(old, ignored);
}

}  // namespace tandem
