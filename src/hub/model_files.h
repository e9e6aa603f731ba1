#pragma once
// Which of a repository's files make up a model.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "hub/listing.h"

namespace tandem {

inline constexpr const char* kWeightsIndex = "model.safetensors.index.json";

// Files by the order in which they are fetched. Small ones come first, so that a model that can't
// be used is told from them.
struct ModelFiles {
  std::vector<HubFile> small;       // configuration, tokenizer, the index of the weights
  std::vector<HubFile> weights;     // model.safetensors; with an index, what it names comes later
  std::vector<std::string> absent;  // that were looked for
};

// Throws ModelError when there is no configuration, no tokenizer that can be read, or no weights
// but pickles, which can run code when they are read, and for files that are far too large.
ModelFiles choose_model_files(const Listing& listing, const std::string& name);

// The files that an index names, by the listing. Throws ModelError when one isn't listed.
std::vector<HubFile> shards_of_index(std::string_view index, const Listing& listing);

// What a snapshot's folder lacks of a model, e.g. {"config.json"}; empty when it is whole.
std::vector<std::string> missing_model_files(const std::filesystem::path& snapshot);

}  // namespace tandem
