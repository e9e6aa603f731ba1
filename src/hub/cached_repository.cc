#include "hub/cached_repository.h"

#include <fstream>
#include <random>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/file.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

// https://bford.info/cachedir/: tells backup programs to leave the folder out.
constexpr std::string_view kCacheTag =
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# This file is a cache directory tag created by tandem.\n";

[[noreturn]] void fail_to_write(const fs::path& path, const std::error_code& error) {
  throw WallError("{}: cannot be written: {}; HF_HUB_CACHE names another cache", path.string(),
                  error.message());
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) fail_to_write(folder, error);
}

void write_at_once(const fs::path& path, std::string_view text) {
  StagedFiles files(path.parent_path());
  files.add(path.filename().string(), text);
  files.commit();
}

}  // namespace

CachedRepository::CachedRepository(const HubSettings& settings, Repository repository)
    : repository_(std::move(repository)),
      cache_(settings.cache),
      folder_(cache_ / folder_name(repository_)),
      symlinks_(settings.symlinks) {}

std::optional<std::string> CachedRepository::commit() const {
  std::string commit = repository_.revision;
  std::error_code ignored;
  if (!is_commit(commit)) {
    std::ifstream ref(folder_ / "refs" / commit);
    if (!(ref >> commit) || !is_commit(commit)) return std::nullopt;
  }
  if (!fs::is_directory(snapshot(commit), ignored)) return std::nullopt;
  return commit;
}

fs::path CachedRepository::snapshot(const std::string& commit) const {
  return folder_ / "snapshots" / commit;
}

fs::path CachedRepository::blob(const std::string& etag) const { return folder_ / "blobs" / etag; }

fs::path CachedRepository::lock(const std::string& etag) const {
  return cache_ / ".locks" / folder_name(repository_) / (etag + ".lock");
}

bool CachedRepository::has_blob(const std::string& etag, std::int64_t bytes) const {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(blob(etag), error);
  return !error && size == static_cast<std::uintmax_t>(bytes);
}

void CachedRepository::prepare() const {
  make_folder(folder_ / "blobs");
  make_folder(folder_ / "snapshots");
  std::error_code ignored;
  if (const fs::path tag = cache_ / "CACHEDIR.TAG"; !fs::exists(tag, ignored)) {
    write_at_once(tag, kCacheTag);
  }
}

void CachedRepository::link(const std::string& commit, const std::string& path,
                            const std::string& etag) const {
  const fs::path place = snapshot(commit) / path;
  make_folder(place.parent_path());
  std::error_code error;
  const bool right = fs::exists(place, error) && fs::equivalent(place, blob(etag), error);
  if (right) return;
  // Under another name first: who looks finds the old file or the new one.
  const fs::path temporary =
      place.parent_path() / fmt::format(".tmp-{:08x}", std::random_device()());
  error = std::make_error_code(std::errc::operation_not_permitted);
  if (symlinks_)
    fs::create_symlink(blob(etag).lexically_relative(place.parent_path()), temporary, error);
  if (error) fs::copy_file(blob(etag), temporary, error);
  if (!error) fs::rename(temporary, place, error);
  if (error) fail_to_write(place, error);
}

void CachedRepository::note_absence(const std::string& commit, const std::string& path) const {
  const fs::path note = folder_ / ".no_exist" / commit / path;
  std::error_code ignored;
  if (fs::exists(note, ignored)) return;
  write_at_once(note, "");
}

void CachedRepository::set_commit(const std::string& commit) const {
  if (is_commit(repository_.revision)) return;
  const fs::path ref = folder_ / "refs" / repository_.revision;
  std::string known;
  if (std::ifstream(ref) >> known && known == commit) return;
  write_at_once(ref, commit);
}

std::optional<std::int64_t> CachedRepository::free_bytes() const {
  std::error_code error;
  const fs::space_info space = fs::space(folder_, error);
  if (error) return std::nullopt;
  return static_cast<std::int64_t>(space.available);
}

}  // namespace tandem
