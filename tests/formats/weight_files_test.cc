#include "formats/weight_files.h"

#include <gtest/gtest.h>

#include "support/error_message.h"
#include "support/temporary_directory.h"

namespace tandem {
namespace {

using testing::failure_of;
using testing::TemporaryDirectory;

void write_tensors(const TemporaryDirectory& directory, const std::string& file,
                   const std::vector<std::string>& names, float value) {
  const std::vector<float> values{value};
  StagedFiles files(directory.path());
  std::vector<TensorToWrite> tensors;
  for (const std::string& name : names) {
    tensors.push_back(TensorToWrite::f32(name, {1}, values));
  }
  stage_safetensors(files, file, tensors);
  files.commit();
}

std::string open_failure(const TemporaryDirectory& directory) {
  const auto failure = failure_of([&] { WeightFiles::open(directory.path()); });
  EXPECT_EQ(failure.code, ExitCode::kModel);
  return failure.message;
}

constexpr const char* kIndex = "model.safetensors.index.json";

TEST(WeightFiles, ReadsTheSingleFileFirst) {
  const TemporaryDirectory directory;
  write_tensors(directory, "model.safetensors", {"b", "a"}, 3);
  directory.write(kIndex, "not read");
  const WeightFiles weights = WeightFiles::open(directory.path());
  EXPECT_EQ(weights.description(), "model.safetensors");
  ASSERT_EQ(weights.tensors().size(), 2U);
  EXPECT_EQ(weights.tensors()[0].info.name, "a");
  float value = 0;
  weights.read_f32(weights.tensors()[0], std::span(&value, 1));
  EXPECT_EQ(value, 3);
}

TEST(WeightFiles, ReadsTheFilesOfAnIndex) {
  const TemporaryDirectory directory;
  write_tensors(directory, "model-00001-of-00002.safetensors", {"c", "a"}, 1);
  write_tensors(directory, "model-00002-of-00002.safetensors", {"b"}, 2);
  directory.write(kIndex, R"({"metadata": {"total_size": 12}, "weight_map": {
      "a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors",
      "c": "model-00001-of-00002.safetensors"}})");
  const WeightFiles weights = WeightFiles::open(directory.path());
  EXPECT_EQ(weights.description(), "2 files of model.safetensors.index.json");
  ASSERT_EQ(weights.tensors().size(), 3U);
  const float expected[] = {1, 2, 1};
  for (std::size_t i = 0; i < 3; ++i) {
    float value = 0;
    weights.read_f32(weights.tensors()[i], std::span(&value, 1));
    EXPECT_EQ(value, expected[i]);
  }
  EXPECT_EQ(weights.file_name(weights.tensors()[1]), "model-00002-of-00002.safetensors");
}

TEST(WeightFiles, ComparesTheIndexWithTheFiles) {
  const TemporaryDirectory directory;
  write_tensors(directory, "x.safetensors", {"a", "b"}, 1);
  write_tensors(directory, "y.safetensors", {"c"}, 1);
  const auto failure = [&](std::string_view map) {
    directory.write(kIndex, fmt::format(R"({{"weight_map": {{{}}}}})", map));
    return open_failure(directory);
  };
  EXPECT_EQ(failure(R"("a": "x.safetensors", "b": "x.safetensors", "d": "x.safetensors")"),
            "model.safetensors.index.json: tensor d should be in x.safetensors and isn't");
  EXPECT_EQ(failure(R"("a": "x.safetensors")"),
            "model.safetensors.index.json: tensor b of x.safetensors is not listed, or listed in "
            "another file");
  EXPECT_EQ(
      failure(R"("a": "x.safetensors", "b": "y.safetensors", "c": "y.safetensors")"),
      "model.safetensors.index.json: tensor b of x.safetensors is said to be in another file");
  EXPECT_EQ(failure(R"("a": "z.safetensors")"),
            directory.path().string() +
                ": z.safetensors is named by model.safetensors.index.json but isn't there");
}

TEST(WeightFiles, RefusesFileNamesThatLeaveTheDirectory) {
  for (const char* name : {"../x.safetensors", "a/x.safetensors", "..", ".safetensors", "x.bin",
                           "/etc/x.safetensors", ""}) {
    const std::string text = fmt::format(R"({{"weight_map": {{"a": "{}"}}}})", name);
    EXPECT_EQ(failure_of([&] { parse_weight_index(text, kIndex); }).message,
              fmt::format("model.safetensors.index.json: weight_map.a: expected the name of a "
                          ".safetensors file in the same directory, found \"{}\"",
                          name));
  }
  EXPECT_EQ(failure_of([&] { parse_weight_index("{}", kIndex); }).message,
            "model.safetensors.index.json: weight_map: missing");
  EXPECT_EQ(failure_of([&] { parse_weight_index(R"({"weight_map": {}})", kIndex); }).message,
            "model.safetensors.index.json: weight_map: has no tensors");
}

TEST(WeightFiles, RefusesPicklesAndSaysHowToConvertThem) {
  const TemporaryDirectory directory;
  EXPECT_EQ(open_failure(directory),
            directory.path().string() +
                ": expected model.safetensors or model.safetensors.index.json, found neither");
  directory.write("pytorch_model.bin", "PK");
  EXPECT_EQ(open_failure(directory),
            directory.path().string() +
                ": there is no model.safetensors, only pytorch_model.bin, a pickle, which can run "
                "code when it is read; convert it with: " +
                conversion_command(directory.path()));
  EXPECT_TRUE(conversion_command("it's here").ends_with(R"( 'it'\''s here')"));
}

}  // namespace
}  // namespace tandem
