#include "hub/fetcher.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "base/log.h"
#include "base/progress.h"
#include "hub/file_lock.h"

namespace tandem {
namespace {

// What is wanted, as the cache has it, if it does.
std::optional<Fetched> whole_in_cache(const CachedRepository& cache, const MissingFiles& missing) {
  const std::optional<std::string> commit = cache.commit();
  if (!commit || !missing(cache.snapshot(*commit)).empty()) return std::nullopt;
  return Fetched{.directory = cache.snapshot(*commit), .commit = *commit};
}

Fetched offline_snapshot(const CachedRepository& cache, const MissingFiles& missing) {
  if (std::optional<Fetched> found = whole_in_cache(cache, missing)) return *std::move(found);
  const std::optional<std::string> commit = cache.commit();
  throw UsageError("{}: {}, and HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE forbids to ask the hub",
                   cache.repository().name,
                   commit ? fmt::format("the cache lacks its {}",
                                        fmt::join(missing(cache.snapshot(*commit)), ", "))
                          : "not in the cache");
}

}  // namespace

Fetcher::Fetcher(const HubSettings& settings, const Repository& repository, Listing listing)
    : settings_(settings),
      connection_(settings),
      cache_(settings, repository),
      listing_(std::move(listing)) {}

void Fetcher::check_room_for(const std::vector<HubFile>& files) const {
  constexpr std::int64_t kSlack = std::int64_t{1} << 20;  // links, locks, directories
  std::int64_t missing = 0;
  std::set<std::string> contents;
  for (const HubFile& file : files) {
    const bool there = cache_.has_blob(file.etag, file.bytes);
    if (!there && contents.insert(file.etag).second) missing += file.bytes;
  }
  const std::optional<std::int64_t> free = cache_.free_bytes();
  if (missing == 0 || !free || missing + kSlack <= *free) return;
  throw WallError(
      "{}: {} bytes are to be fetched, {} are free; free some, or name another cache by "
      "HF_HUB_CACHE",
      settings_.cache.string(), missing, *free);
}

void Fetcher::fetch(const HubFile& file) {
  bool was_there = cache_.has_blob(file.etag, file.bytes);
  if (!was_there) {
    const FileLock lock(cache_.lock(file.etag), file.path);
    // Another process may have brought it meanwhile.
    was_there = cache_.has_blob(file.etag, file.bytes);
    if (!was_there) bring(file, lock.held());
  }
  cache_.link(listing_.commit, file.path, file.etag);
  fetched_.push_back({file.path, file.bytes, was_there});
}

void Fetcher::bring(const HubFile& file, bool alone) {
  PartialFile partial(cache_.blob(file.etag), file.bytes, alone);
  if (partial.size() > 0) {
    log_info("{}: going on after {} of {} bytes", file.path, partial.size(), file.bytes);
  }
  for (bool again = false;; again = true) {
    download(file, partial);
    const std::string hash = partial.hash();
    if (hash == file.etag) break;
    if (again || !partial.in_pieces()) {
      partial.discard();
      throw ModelError(
          "{}: what came has {} {}, the hub lists {}: damaged on the way or replaced; nothing of "
          "it "
          "is kept; run it again",
          file.path, partial.hash_name(), hash, file.etag);
    }
    // A piece from before may have been damaged on this disk, or be another content's.
    log_info("{}: its {} is wrong; fetching all of it again", file.path, partial.hash_name());
    partial.restart();
  }
  partial.commit();
  log_info("{}: {} bytes, verified by {}", file.path, file.bytes, partial.hash_name());
}

void Fetcher::download(const HubFile& file, PartialFile& partial) {
  constexpr std::int64_t kMegabyte = 1'000'000;
  std::unique_ptr<Progress> line;
  if (settings_.progress) {
    line = std::make_unique<Progress>(file.path + ", MB:",
                                      std::max<std::int64_t>(1, file.bytes / kMegabyte));
  }
  connection_.download(cache_.repository(), listing_.commit, file, partial,
                       [&](std::int64_t bytes) {
                         if (line) line->update(bytes / kMegabyte);
                       });
}

Fetched fetch_snapshot(const HubSettings& settings, const Repository& repository,
                       const MissingFiles& missing, const std::function<void(Fetcher&)>& fetch) {
  const CachedRepository cache(settings, repository);
  if (settings.offline) return offline_snapshot(cache, missing);
  if (is_commit(repository.revision)) {
    if (std::optional<Fetched> found = whole_in_cache(cache, missing)) return *std::move(found);
  }
  std::optional<Listing> listing;
  try {
    listing = HubConnection(settings).listing(repository);
  } catch (const HubUnreachable& error) {
    std::optional<Fetched> found = whole_in_cache(cache, missing);
    if (!found) throw;
    log_warning("{}; what the cache has is used, commit {}", error.what(), found->commit);
    return *std::move(found);
  }
  Fetcher fetcher(settings, repository, *std::move(listing));
  fetch(fetcher);
  const std::string& commit = fetcher.listing().commit;
  cache.set_commit(commit);
  std::int64_t bytes = 0;
  for (const FetchedFile& file : fetcher.fetched()) bytes += file.was_there ? 0 : file.bytes;
  log_info("{}: commit {}, {} files, {:.1f} MB of them fetched now", repository.name, commit,
           fetcher.fetched().size(), static_cast<double>(bytes) / 1e6);
  return {.directory = fetcher.directory(), .commit = commit, .files = fetcher.fetched()};
}

}  // namespace tandem
