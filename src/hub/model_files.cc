#include "hub/model_files.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "base/printable.h"
#include "formats/weight_files.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConfig = "config.json";
constexpr const char* kWeights = "model.safetensors";
// added_tokens.json isn't read, but a model that has one must be refused as such.
constexpr std::array<const char*, 7> kSmallFiles{kConfig,
                                                 "tokenizer.json",
                                                 "tokenizer_config.json",
                                                 "special_tokens_map.json",
                                                 "vocab.txt",
                                                 "added_tokens.json",
                                                 kWeightsIndex};
constexpr std::int64_t kMostSmallBytes = std::int64_t{64} << 20;
constexpr std::int64_t kMostWeightBytes = 50'000'000'000;  // the hub's own limit for plain HTTP

const HubFile& checked_size(const HubFile& file, std::int64_t most) {
  if (file.bytes > most) {
    throw ModelError("{}: {} bytes long, at most {} are accepted for such a file", file.path,
                     file.bytes, most);
  }
  return file;
}

[[noreturn]] void fail_without_weights(const Listing& listing, const std::string& name) {
  const auto pickle = std::ranges::find_if(listing.files, [](const HubFile& file) {
    return file.path.starts_with("pytorch_model") && file.path.ends_with(".bin");
  });
  if (pickle == listing.files.end()) {
    throw ModelError("{}: has neither {} nor {}", name, kWeights, kWeightsIndex);
  }
  throw ModelError(
      "{}: has no {}, only {}, a pickle, which can run code when it is read: refused; where you "
      "trust its authors, transformers converts it: python3 -c \"from transformers import "
      "AutoModel as M, AutoTokenizer as T; M.from_pretrained('{}').save_pretrained('DIR'); "
      "T.from_pretrained('{}').save_pretrained('DIR')\"",
      name, kWeights, printable(pickle->path), name, name);
}

}  // namespace

ModelFiles choose_model_files(const Listing& listing, const std::string& name) {
  ModelFiles files;
  const HubFile* const weights = listing.find(kWeights);
  for (const char* path : kSmallFiles) {
    if (path == kWeightsIndex && weights != nullptr) continue;
    if (const HubFile* file = listing.find(path)) {
      files.small.push_back(checked_size(*file, kMostSmallBytes));
    } else {
      files.absent.emplace_back(path);
    }
  }
  if (listing.find(kConfig) == nullptr) {
    throw ModelError("{}: has no {}: it isn't a model of transformers", name, kConfig);
  }
  if (listing.find("tokenizer.json") == nullptr && listing.find("vocab.txt") == nullptr) {
    throw ModelError("{}: has neither a tokenizer.json nor a vocab.txt", name);
  }
  if (weights != nullptr) {
    files.weights.push_back(checked_size(*weights, kMostWeightBytes));
  } else if (listing.find(kWeightsIndex) == nullptr) {
    fail_without_weights(listing, name);
  } else {
    files.absent.emplace_back(kWeights);
  }
  return files;
}

std::vector<HubFile> shards_of_index(std::string_view index, const Listing& listing) {
  std::set<std::string> names;
  for (const auto& [tensor, file] : parse_weight_index(index, kWeightsIndex)) names.insert(file);
  std::vector<HubFile> shards;
  for (const std::string& name : names) {
    const HubFile* const file = listing.find(name);
    if (file == nullptr) {
      throw ModelError("{}: names {}, which the repository doesn't have", kWeightsIndex,
                       in_quotes(name));
    }
    shards.push_back(checked_size(*file, kMostWeightBytes));
  }
  return shards;
}

std::vector<std::string> missing_model_files(const fs::path& snapshot) {
  std::error_code ignored;
  const auto has = [&](const std::string& name) { return fs::exists(snapshot / name, ignored); };
  std::vector<std::string> missing;
  if (!has(kConfig)) missing.emplace_back(kConfig);
  if (!has("tokenizer.json") && !has("vocab.txt")) missing.emplace_back("tokenizer.json");
  if (has(kWeights)) return missing;
  if (!has(kWeightsIndex)) {
    missing.emplace_back(kWeights);
    return missing;
  }
  const std::string index = read_file(snapshot / kWeightsIndex, ExitCode::kModel, kMostSmallBytes);
  std::set<std::string> shards;
  for (const auto& [tensor, file] : parse_weight_index(index, kWeightsIndex)) shards.insert(file);
  std::ranges::copy_if(shards, std::back_inserter(missing),
                       [&](const std::string& shard) { return !has(shard); });
  return missing;
}

}  // namespace tandem
