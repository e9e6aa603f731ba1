#include "base/directory.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <optional>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "base/file_lock.h"
#include "base/log.h"

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

// The process in ".name.tmp-123" or ".name.old-123"; nothing for another name.
std::optional<pid_t> writer_of(std::string_view name) {
  if (!name.starts_with('.')) return std::nullopt;
  for (const std::string_view kind : {".tmp-", ".old-"}) {
    const std::size_t begin = name.rfind(kind);
    if (begin == name.npos || begin == 0) continue;
    const std::string_view digits = name.substr(begin + kind.size());
    pid_t process = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), process);
    if (error == std::errc() && end == digits.data() + digits.size()) return process;
  }
  return std::nullopt;
}

bool runs(pid_t process) { return kill(process, 0) == 0 || errno == EPERM; }

}  // namespace

bool is_half_written(std::string_view name) { return writer_of(name).has_value(); }

void remove_half_written(const std::filesystem::path& directory) {
  std::error_code error;
  std::vector<std::filesystem::path> left;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    const std::optional<pid_t> writer = writer_of(entry.path().filename().string());
    if (writer && (*writer == getpid() || !runs(*writer))) left.push_back(entry.path());
  }
  for (const std::filesystem::path& path : left) std::filesystem::remove_all(path, error);
}

void sync_directory(const std::filesystem::path& directory) {
  const FileDescriptor descriptor(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some network file systems can't sync a directory: their renames are durable or they are not.
  if (descriptor.get() < 0 || (fsync(descriptor.get()) != 0 && errno != EINVAL)) {
    throw WallError("{}: cannot be synced: {}", directory.string(), errno_text(errno));
  }
}

DirectoryLock::DirectoryLock(const std::filesystem::path& directory, std::chrono::seconds longest)
    : descriptor_(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  bool said = false;
  wait_for_lock(descriptor_, [&](std::chrono::duration<double> waited) {
    if (waited >= longest) {
      throw MachineError(
          "{}: another process is still writing there; end it, or choose another --output-dir",
          directory.string());
    }
    if (!said) log_info("waiting for another process that writes to {}", directory.string());
    said = true;
  });
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
