#pragma once
// Whole files in, and files out that are either complete or not there at all.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace tandem {

// Owns a file descriptor.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int descriptor) : descriptor_(descriptor) {}
  FileDescriptor(FileDescriptor&& other) noexcept;
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor();
  int get() const { return descriptor_; }

 private:
  int descriptor_ = -1;
};

// A regular file opened for reading. Errors carry `kind` as their exit code and name the path.
class InputFile {
 public:
  InputFile(const std::filesystem::path& path, ExitCode kind);
  std::int64_t size() const { return size_; }
  // Fills `out` from `offset`; throws when the file ends before that.
  void read_at(std::int64_t offset, std::span<std::byte> out) const;

 private:
  std::filesystem::path path_;
  ExitCode kind_;
  FileDescriptor descriptor_;
  std::int64_t size_ = 0;
};

// The whole of a file. Throws Error(kind) when it is missing, unreadable, a directory, or larger
// than `max_bytes`.
std::string read_file(const std::filesystem::path& path, ExitCode kind, std::int64_t max_bytes);

// Files that become visible together: each is written and synced under a temporary name beside its
// destination, and commit() renames them all and syncs the directory. Until commit() nothing that
// existed is touched; without it the destructor removes the temporary files. A full disk is a
// WallError that says how many bytes the file needs and how many are free.
class StagedFiles {
 public:
  // Creates `directory` (and its parents) if it isn't there.
  explicit StagedFiles(const std::filesystem::path& directory);
  ~StagedFiles();
  StagedFiles(const StagedFiles&) = delete;
  StagedFiles& operator=(const StagedFiles&) = delete;

  // Writes the concatenation of `pieces` as file `name`.
  void add(const std::string& name, std::span<const std::span<const std::byte>> pieces);
  void add(const std::string& name, std::string_view text);
  void commit();

  struct Written {
    std::string name;
    std::int64_t bytes;
    std::string hash;  // ContentHash of what was written
  };
  // What add() has written so far, in order.
  const std::vector<Written>& written() const { return written_; }

 private:
  std::filesystem::path directory_;
  struct Staged {
    std::filesystem::path temporary, destination;
  };
  std::vector<Staged> staged_;
  std::vector<Written> written_;
};

}  // namespace tandem
