#include "hub/partial_file.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <random>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".incomplete";  // as huggingface_hub's

std::string beginning_of(const fs::path& blob) { return blob.filename().string() + ".tandem-"; }

fs::path unique_path(const fs::path& blob) {
  std::random_device random;
  return blob.parent_path() / fmt::format("{}{:08x}{}", beginning_of(blob), random(), kEnding);
}

// What other processes of this program have, or left, of a blob.
std::vector<fs::path> rests_of(const fs::path& blob) {
  std::vector<fs::path> rests;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(blob.parent_path(), ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(beginning_of(blob)) && name.ends_with(kEnding)) {
      rests.push_back(entry.path());
    }
  }
  return rests;
}

}  // namespace

PartialFile::PartialFile(const fs::path& blob, std::int64_t bytes, bool take_over)
    : blob_(blob), path_(unique_path(blob)), expected_(bytes) {
  if (take_over) take_over_rest();
  descriptor_ = FileDescriptor(open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  struct stat status {};
  if (descriptor_.get() < 0 || fstat(descriptor_.get(), &status) != 0) fail(errno);
  if (status.st_size > expected_) {
    restart();
    return;
  }
  // The hash of what is there already.
  digest_ = std::make_unique<Digest>(blob_.filename().string(), expected_);
  const InputFile there(path_, ExitCode::kWall);
  std::vector<std::byte> block(1 << 20);
  while (size_ < status.st_size) {
    const std::int64_t left = status.st_size - size_;
    const std::span part = std::span(block).first(
        static_cast<std::size_t>(std::min<std::int64_t>(left, std::ssize(block))));
    there.read_at(size_, part);
    digest_->add(part);
    size_ += std::ssize(part);
  }
  note_break();
}

// The largest of what was left becomes this process's; the others are of no use.
void PartialFile::take_over_rest() {
  std::optional<fs::path> largest;
  std::uintmax_t most = 0;
  const std::vector<fs::path> rests = rests_of(blob_);
  std::error_code error;
  for (const fs::path& rest : rests) {
    const std::uintmax_t size = fs::file_size(rest, error);
    if (!error && size > most) {
      largest = rest;
      most = size;
    }
  }
  if (largest) fs::rename(*largest, path_, error);
  for (const fs::path& rest : rests) {
    if (rest != largest) fs::remove(rest, error);
  }
}

void PartialFile::append(std::span<const std::byte> bytes) {
  if (std::ssize(bytes) > expected_ - size_) {
    restart();
    throw ModelError("{}: more than the {} bytes came that the hub lists it with",
                     blob_.filename().string(), expected_);
  }
  digest_->add(bytes);
  while (!bytes.empty()) {
    // By its place in the file: should another process write to it, it writes the same there.
    const ssize_t written = pwrite(descriptor_.get(), bytes.data(), bytes.size(), size_);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    size_ += written;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void PartialFile::restart() {
  if (ftruncate(descriptor_.get(), 0) != 0) fail(errno);
  digest_ = std::make_unique<Digest>(blob_.filename().string(), expected_);
  size_ = 0;
  in_pieces_ = false;
}

std::string PartialFile::hash() {
  TANDEM_CHECK(complete(), "{} of {} bytes", size_, expected_);
  return digest_->text();
}

void PartialFile::commit() {
  if (fsync(descriptor_.get()) != 0) fail(errno);
  if (rename(path_.c_str(), blob_.c_str()) == 0) return;
  const int number = errno;
  // Where locks don't work, another process may have taken this file over, and finished it.
  std::error_code ignored;
  if (number != ENOENT || !fs::exists(blob_, ignored)) fail(number);
}

void PartialFile::discard() {
  std::error_code ignored;
  fs::remove(path_, ignored);
}

void PartialFile::fail(int number) const {
  if (number == ENOSPC || number == EDQUOT) {
    std::error_code ignored;
    throw WallError(
        "{}: no space left: {} bytes are missing, {} are free; free some and run it again to go "
        "on, or name another cache by HF_HUB_CACHE",
        path_.string(), expected_ - size_, fs::space(blob_.parent_path(), ignored).available);
  }
  throw WallError("{}: cannot be written: {}", path_.string(), errno_text(number));
}

}  // namespace tandem
