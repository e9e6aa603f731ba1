#include "hub/listing.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/printable.h"
#include "formats/json.h"
#include "hub/repository.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;

std::string checked_hash(const JsonValue& value, bool (*is_hash)(std::string_view),
                         std::string_view what) {
  if (!is_hash(value.text())) value.fail_expecting(what);
  return value.text();
}

HubFile read_file_entry(const JsonValue& entry) {
  const JsonValue path = entry.at("rfilename");
  if (!is_path_inside(path.text())) {
    path.fail(fmt::format("{} leads out of the repository: nothing of it is fetched",
                          in_quotes(path.text())));
  }
  HubFile file{.path = path.text()};
  if (const auto stored = entry.find("lfs")) {
    file.bytes = stored->at("size").whole_number(0, kMostBytes);
    file.etag = checked_hash(stored->at("sha256"), is_sha256, "64 hexadecimal digits");
  } else {
    file.bytes = entry.at("size").whole_number(0, kMostBytes);
    file.etag = checked_hash(entry.at("blobId"), is_commit, "40 hexadecimal digits");
  }
  return file;
}

}  // namespace

const HubFile* Listing::find(std::string_view path) const {
  const auto found =
      std::ranges::find_if(files, [path](const HubFile& file) { return file.path == path; });
  return found == files.end() ? nullptr : &*found;
}

Listing parse_listing(std::string_view text, const std::string& source) {
  const JsonSource where{.name = source};
  const nlohmann::json parsed = parse_json(text, where);
  const JsonValue answer(parsed, where);
  Listing listing;
  listing.commit = checked_hash(answer.at("sha"), is_commit, "a commit, 40 hexadecimal digits");
  for (const JsonValue& entry : answer.at("siblings").elements()) {
    listing.files.push_back(read_file_entry(entry));
  }
  return listing;
}

}  // namespace tandem
