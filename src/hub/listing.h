#pragma once
// What a repository has at one commit, as the hub's API tells:
// GET /api/models/<name>/revision/<revision>?blobs=true (huggingface_hub 2.4, HfApi.model_info).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

struct HubFile {
  std::string path;  // in the repository
  std::int64_t bytes = 0;
  std::string etag = {};  // the SHA-256 of a file in large-file storage, git's SHA-1 of any other
};

struct Listing {
  std::string commit;
  std::vector<HubFile> files;

  const HubFile* find(std::string_view path) const;
};

// Reads the API's answer; `source` is its address, for messages. Throws ModelError when it isn't
// such an answer, or names a file outside of the repository.
Listing parse_listing(std::string_view text, const std::string& source);

}  // namespace tandem
