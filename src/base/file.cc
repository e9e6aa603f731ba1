#include "base/file.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/content_hash.h"
#include "base/directory.h"

namespace tandem {
namespace {

[[noreturn]] void throw_write_error(const std::filesystem::path& path, std::int64_t needed,
                                    int number) {
  struct statvfs volume {};
  const bool known = statvfs(path.parent_path().c_str(), &volume) == 0;
  if (known && (number == ENOSPC || number == EDQUOT)) {
    throw WallError(
        "{}: no space left: {} bytes are needed, {} are free; nothing that existed was changed; "
        "free some space or choose another --output-dir",
        path.string(), needed,
        static_cast<std::uint64_t>(volume.f_bavail) * static_cast<std::uint64_t>(volume.f_frsize));
  }
  throw WallError("{}: cannot be written: {}; nothing that existed was changed", path.string(),
                  errno_text(number));
}

// Leaves out what has been written of the first pieces.
void leave_out(std::span<iovec>& pieces, std::size_t written) {
  while (!pieces.empty() && written >= pieces.front().iov_len) {
    written -= pieces.front().iov_len;
    pieces = pieces.subspan(1);
  }
  if (written == 0) return;
  pieces.front().iov_base = static_cast<std::byte*>(pieces.front().iov_base) + written;
  pieces.front().iov_len -= written;
}

// As many pieces at a time as the system takes. Returns 0 or the errno of the call that failed.
int write_all(int descriptor, std::span<const std::span<const std::byte>> bytes) {
  std::vector<iovec> all;
  for (const auto piece : bytes) {
    // The system doesn't write to them.
    all.push_back({const_cast<std::byte*>(piece.data()), piece.size()});
  }
  std::span<iovec> pieces = all;
  leave_out(pieces, 0);
  while (!pieces.empty()) {
    const std::size_t at_once = std::min<std::size_t>(pieces.size(), IOV_MAX);
    const ssize_t written = writev(descriptor, pieces.data(), static_cast<int>(at_once));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    leave_out(pieces, static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

FileDescriptor::FileDescriptor(FileDescriptor&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

FileDescriptor::~FileDescriptor() {
  if (descriptor_ >= 0) close(descriptor_);
}

InputFile::InputFile(const std::filesystem::path& path, ExitCode kind)
    : path_(path), kind_(kind), descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  struct stat status {};
  if (descriptor_.get() < 0 || fstat(descriptor_.get(), &status) != 0) {
    throw Error(kind, fmt::format("{}: cannot be read: {}", path.string(), errno_text(errno)));
  }
  if (!S_ISREG(status.st_mode)) {
    throw Error(kind, fmt::format("{}: expected a regular file, found {}", path.string(),
                                  S_ISDIR(status.st_mode) ? "a directory" : "something else"));
  }
  size_ = status.st_size;
}

void InputFile::read_at(std::int64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const ssize_t got = pread(descriptor_.get(), out.data(), out.size(), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      throw Error(kind_, fmt::format("{}: cannot be read at byte {}: {}", path_.string(), offset,
                                     errno_text(errno)));
    }
    if (got == 0) {
      throw Error(kind_, fmt::format("{}: ends at byte {}, {} more were expected", path_.string(),
                                     offset, out.size()));
    }
    out = out.subspan(static_cast<std::size_t>(got));
    offset += got;
  }
}

std::string read_file(const std::filesystem::path& path, ExitCode kind, std::int64_t max_bytes) {
  const InputFile file(path, kind);
  if (file.size() > max_bytes) {
    throw Error(kind, fmt::format("{}: {} bytes long, at most {} are accepted for such a file",
                                  path.string(), file.size(), max_bytes));
  }
  std::string text(static_cast<std::size_t>(file.size()), '\0');
  file.read_at(0, std::as_writable_bytes(std::span(text.data(), text.size())));
  return text;
}

StagedFiles::StagedFiles(const std::filesystem::path& directory) : directory_(directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    throw WallError("{}: the directory cannot be made: {}", directory.string(), error.message());
  }
}

StagedFiles::~StagedFiles() {
  for (const Staged& file : staged_) {
    std::error_code ignored;
    std::filesystem::remove(file.temporary, ignored);
  }
}

void StagedFiles::add(const std::string& name, std::span<const std::span<const std::byte>> pieces) {
  std::int64_t bytes = 0;
  for (const auto piece : pieces) bytes += static_cast<std::int64_t>(piece.size());
  const std::filesystem::path temporary =
      directory_ / fmt::format(".{}.tmp-{}", name, static_cast<int>(getpid()));
  const FileDescriptor descriptor(
      open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (descriptor.get() < 0) throw_write_error(directory_ / name, bytes, errno);
  staged_.push_back({temporary, directory_ / name});
  ContentHash hash;
  for (const auto piece : pieces) hash.add(piece);
  if (const int number = write_all(descriptor.get(), pieces); number != 0) {
    throw_write_error(directory_ / name, bytes, number);
  }
  if (fsync(descriptor.get()) != 0) throw_write_error(directory_ / name, bytes, errno);
  written_.push_back({name, bytes, hash.text()});
}

void StagedFiles::add(const std::string& name, std::string_view text) {
  const std::span<const std::byte> piece = std::as_bytes(std::span(text.data(), text.size()));
  add(name, std::span(&piece, 1));
}

void StagedFiles::commit() {
  for (const Staged& file : staged_) {
    std::error_code error;
    std::filesystem::rename(file.temporary, file.destination, error);
    if (error) {
      throw WallError("{}: cannot be put in place: {}", file.destination.string(), error.message());
    }
  }
  staged_.clear();
  sync_directory(directory_);
}

}  // namespace tandem
