#include "hub/fetch_model.h"

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "base/file.h"
#include "base/printable.h"
#include "hub/model_files.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

void fetch_model_files(Fetcher& fetcher, const std::function<void(const fs::path&)>& check) {
  const Listing& listing = fetcher.listing();
  ModelFiles files = choose_model_files(listing, fetcher.cache().repository().name);
  fetcher.cache().prepare();
  std::vector<HubFile> all = files.small;
  all.insert(all.end(), files.weights.begin(), files.weights.end());
  fetcher.check_room_for(all);
  for (const HubFile& file : files.small) fetcher.fetch(file);
  check(fetcher.directory());
  if (files.weights.empty()) {
    const std::string index = read_file(fetcher.directory() / kWeightsIndex, ExitCode::kModel,
                                        listing.find(kWeightsIndex)->bytes);
    files.weights = shards_of_index(index, listing);
    fetcher.check_room_for(files.weights);
  }
  for (const HubFile& file : files.weights) fetcher.fetch(file);
  for (const std::string& path : files.absent) fetcher.cache().note_absence(listing.commit, path);
}

}  // namespace

Fetched fetch_model(const HubSettings& settings, const Repository& repository,
                    const std::function<void(const fs::path&)>& check) {
  return fetch_snapshot(settings, repository, missing_model_files,
                        [&](Fetcher& fetcher) { fetch_model_files(fetcher, check); });
}

Fetched fetch_files(const HubSettings& settings, const Repository& repository,
                    const std::vector<std::string>& paths) {
  const auto missing = [&](const fs::path& snapshot) {
    std::vector<std::string> absent;
    std::error_code ignored;
    std::ranges::copy_if(paths, std::back_inserter(absent), [&](const std::string& path) {
      return !fs::exists(snapshot / path, ignored);
    });
    return absent;
  };
  return fetch_snapshot(settings, repository, missing, [&](Fetcher& fetcher) {
    std::vector<HubFile> files;
    for (const std::string& path : paths) {
      const HubFile* const file = fetcher.listing().find(path);
      if (file == nullptr) throw DataError("{}: has no {}", repository.name, in_quotes(path));
      files.push_back(*file);
    }
    fetcher.cache().prepare();
    fetcher.check_room_for(files);
    for (const HubFile& file : files) fetcher.fetch(file);
  });
}

std::optional<fs::path> cached_snapshot(const HubSettings& settings, const Repository& repository,
                                        const std::string& path) {
  const CachedRepository cache(settings, repository);
  const std::optional<std::string> commit = cache.commit();
  std::error_code ignored;
  if (!commit || !fs::exists(cache.snapshot(*commit) / path, ignored)) return std::nullopt;
  return cache.snapshot(*commit);
}

}  // namespace tandem
