#pragma once
// The files of one commit of a repository, brought into the cache.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "hub/cached_repository.h"
#include "hub/connection.h"
#include "hub/listing.h"
#include "hub/partial_file.h"
#include "hub/repository.h"
#include "hub/settings.h"

namespace tandem {

struct FetchedFile {
  std::string name;
  std::int64_t bytes = 0;
  bool was_there = false;  // in the cache before
};

struct Fetched {
  std::filesystem::path directory;  // the commit's snapshot in the cache
  std::string commit;
  std::vector<FetchedFile> files = {};  // empty when the hub wasn't asked
};

class Fetcher {
 public:
  Fetcher(const HubSettings& settings, const Repository& repository, Listing listing);

  const Listing& listing() const { return listing_; }
  const CachedRepository& cache() const { return cache_; }
  std::filesystem::path directory() const { return cache_.snapshot(listing_.commit); }
  const std::vector<FetchedFile>& fetched() const { return fetched_; }

  // Throws WallError when there is no room for what the cache lacks of these.
  void check_room_for(const std::vector<HubFile>& files) const;
  // Downloads a file if its content isn't there, verifies it by its hash, and puts it into the
  // snapshot. Says so. Throws as HubConnection::download, and ModelError for a wrong hash.
  void fetch(const HubFile& file);

 private:
  void bring(const HubFile& file, bool alone);
  void download(const HubFile& file, PartialFile& partial);

  HubSettings settings_;
  HubConnection connection_;
  CachedRepository cache_;
  Listing listing_;
  std::vector<FetchedFile> fetched_;
};

// What a snapshot lacks of what is wanted; empty when it has it all.
using MissingFiles = std::function<std::vector<std::string>(const std::filesystem::path&)>;

// Has `fetch` bring the repository's revision into the cache and makes the cache know the revision.
// A commit of which nothing is missing isn't asked for. Nor is anything in offline mode; then, and
// when the hub gives no answer, what the cache has of the revision is returned, and a warning says
// so. Throws UsageError when it has not all of it, HubUnreachable, and what `fetch` throws.
Fetched fetch_snapshot(const HubSettings& settings, const Repository& repository,
                       const MissingFiles& missing, const std::function<void(Fetcher&)>& fetch);

}  // namespace tandem
