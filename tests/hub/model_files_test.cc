#include "hub/model_files.h"

#include <gtest/gtest.h>

#include "support/error_message.h"
#include "support/temporary_directory.h"

namespace tandem {
namespace {

using testing::failure_of;
using testing::TemporaryDirectory;

Listing listing_of(const std::vector<std::string>& paths, std::int64_t bytes = 10) {
  Listing listing;
  for (const std::string& path : paths) {
    listing.files.push_back({.path = path, .bytes = bytes, .etag = std::string(40, 'a')});
  }
  return listing;
}

std::vector<std::string> names_of(const std::vector<HubFile>& files) {
  std::vector<std::string> names;
  for (const HubFile& file : files) names.push_back(file.path);
  return names;
}

std::string failure(const Listing& listing) {
  const auto found = failure_of([&] { choose_model_files(listing, "org/m"); });
  EXPECT_EQ(found.code, ExitCode::kModel);
  return found.message;
}

using Names = std::vector<std::string>;

TEST(ModelFiles, AreConfigurationTokenizerAndWeights) {
  const ModelFiles files = choose_model_files(
      listing_of({"README.md", "pytorch_model.bin", "model.safetensors", "vocab.txt", "config.json",
                  "tokenizer.json", "tf_model.h5", "onnx/model.onnx"}),
      "m");
  EXPECT_EQ(names_of(files.small), (Names{"config.json", "tokenizer.json", "vocab.txt"}));
  EXPECT_EQ(names_of(files.weights), (Names{"model.safetensors"}));
  EXPECT_EQ(files.absent,
            (Names{"tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"}));
}

TEST(ModelFiles, OfWeightsInPiecesTheIndexComesFirst) {
  const Listing listing =
      listing_of({"config.json", "vocab.txt", kWeightsIndex, "a.safetensors", "b.safetensors"});
  const ModelFiles files = choose_model_files(listing, "m");
  EXPECT_EQ(names_of(files.small), (Names{"config.json", "vocab.txt", kWeightsIndex}));
  EXPECT_TRUE(files.weights.empty());
  const auto shards = shards_of_index(
      R"({"weight_map": {"x": "b.safetensors", "y": "a.safetensors", "z": "b.safetensors"}})",
      listing);
  EXPECT_EQ(names_of(shards), (Names{"a.safetensors", "b.safetensors"}));
}

TEST(ModelFiles, APieceMustBeListedAndStayInTheDirectory) {
  const Listing listing = listing_of({"config.json"});
  for (const char* name : {"c.safetensors", "../c.safetensors"}) {
    const auto found = failure_of([&] {
      shards_of_index(std::string(R"({"weight_map": {"x": ")") + name + R"("}})", listing);
    });
    EXPECT_EQ(found.code, ExitCode::kModel);
    EXPECT_NE(found.message.find(name), std::string::npos);
  }
}

TEST(ModelFiles, PicklesAreRefusedWithTheReason) {
  const std::string message =
      failure(listing_of({"config.json", "vocab.txt", "pytorch_model.bin"}));
  EXPECT_NE(message.find("only pytorch_model.bin, a pickle, which can run code"),
            std::string::npos);
  EXPECT_NE(message.find("M.from_pretrained('org/m')"), std::string::npos);
}

TEST(ModelFiles, WhatIsNoModelIsRefused) {
  EXPECT_EQ(failure(listing_of({"model.safetensors", "vocab.txt"})),
            "org/m: has no config.json: it isn't a model of transformers");
  EXPECT_EQ(failure(listing_of({"config.json", "model.safetensors", "spiece.model"})),
            "org/m: has neither a tokenizer.json nor a vocab.txt");
  EXPECT_EQ(failure(listing_of({"config.json", "vocab.txt"})),
            "org/m: has neither model.safetensors nor model.safetensors.index.json");
}

TEST(ModelFiles, SizesAreLimited) {
  EXPECT_EQ(failure(listing_of({"config.json", "vocab.txt", "model.safetensors"}, 70'000'000)),
            "config.json: 70000000 bytes long, at most 67108864 are accepted for such a file");
}

TEST(ModelFiles, ASnapshotTellsWhatItLacks) {
  const TemporaryDirectory directory;
  EXPECT_EQ(missing_model_files(directory.path()),
            (Names{"config.json", "tokenizer.json", "model.safetensors"}));
  directory.write("config.json", "{}");
  directory.write("vocab.txt", "");
  directory.write(kWeightsIndex, R"({"weight_map": {"x": "b.safetensors", "y": "a.safetensors"}})");
  directory.write("a.safetensors", "");
  EXPECT_EQ(missing_model_files(directory.path()), (Names{"b.safetensors"}));
  directory.write("b.safetensors", "");
  EXPECT_EQ(missing_model_files(directory.path()), Names{});
}

}  // namespace
}  // namespace tandem
