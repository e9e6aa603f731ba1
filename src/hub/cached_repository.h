#pragma once
// A repository's folder in the cache, laid out as huggingface_hub does it:
//
//   models--org--name/refs/main                   the commit that the branch was at
//   models--org--name/blobs/<ETag>                contents, named by their hash
//   models--org--name/snapshots/<commit>/<path>   links to ../../blobs/<ETag>
//   models--org--name/.no_exist/<commit>/<path>   files that the commit is known not to have
//   .locks/models--org--name/<ETag>.lock
//
// (huggingface_hub 2.4, docs/source/en/guides/manage-cache.md and file_download.py)

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "hub/repository.h"
#include "hub/settings.h"

namespace tandem {

class CachedRepository {
 public:
  CachedRepository(const HubSettings& settings, Repository repository);

  const Repository& repository() const { return repository_; }
  // Of the repository's revision, if the cache knows it and has any of its files.
  std::optional<std::string> commit() const;

  std::filesystem::path snapshot(const std::string& commit) const;
  std::filesystem::path blob(const std::string& etag) const;
  std::filesystem::path lock(const std::string& etag) const;
  // Whether the blob is there, with this size.
  bool has_blob(const std::string& etag, std::int64_t bytes) const;

  // The following throw WallError when the cache can't be written.
  // Makes the folders of the cache and of the repository.
  void prepare() const;
  // Puts a blob into a snapshot: a link, or a copy where links are not possible.
  void link(const std::string& commit, const std::string& path, const std::string& etag) const;
  void note_absence(const std::string& commit, const std::string& path) const;
  // What the revision means from now on. Comes last: who finds the commit finds its files.
  void set_commit(const std::string& commit) const;

  // Bytes that may be written there; nothing when that isn't known.
  std::optional<std::int64_t> free_bytes() const;

 private:
  Repository repository_;
  std::filesystem::path cache_, folder_;
  bool symlinks_;
};

}  // namespace tandem
