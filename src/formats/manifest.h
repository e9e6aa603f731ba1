#pragma once
// manifest.json: every other file of a directory with its size and hash, so that a directory can be
// told to be whole.
//
//   {"files": {"config.json": {"bytes": 611, "xxh3": "0123..."}, ...}, "format": 1}

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"

namespace tandem {

inline constexpr const char* kManifestFile = "manifest.json";

struct ManifestEntry {
  std::string name;
  std::int64_t bytes;
  std::string hash;  // ContentHash
};

// Stages the manifest of all files that were staged before.
void stage_manifest(StagedFiles& files);

// Throws ModelError when the text isn't a manifest of this format, is of a later one, or names a
// file that could lie outside of the directory.
std::vector<ManifestEntry> parse_manifest(std::string_view text, const std::string& source);

// Reads every file that the manifest names. Throws ModelError that names the first that is missing,
// of another size or of other content; also without a manifest.
void verify_manifest(const std::filesystem::path& directory);

}  // namespace tandem
