#include "formats/manifest.h"

#include <gtest/gtest.h>

#include "support/error_message.h"
#include "support/temporary_directory.h"

namespace tandem {
namespace {

using testing::failure_of;
using testing::TemporaryDirectory;

class ManifestTest : public ::testing::Test {
 protected:
  ManifestTest() {
    StagedFiles files(directory_.path());
    files.add("config.json", "{}");
    files.add("weights", std::string(3'000'000, 'w'));
    stage_manifest(files);
    files.commit();
  }
  std::string fault() const {
    const testing::Failure failure = failure_of([&] { verify_manifest(directory_.path()); });
    EXPECT_EQ(failure.code, failure.message.empty() ? ExitCode::kDone : ExitCode::kModel);
    return failure.message;
  }
  TemporaryDirectory directory_;
};

TEST_F(ManifestTest, AWholeDirectoryVerifies) {
  EXPECT_EQ(fault(), "");
  directory_.write("another", "file that the manifest doesn't speak of");
  EXPECT_EQ(fault(), "");
}

TEST_F(ManifestTest, FindsAChangedByte) {
  std::string content(3'000'000, 'w');
  content[2'500'000] = 'v';
  directory_.write("weights", content);
  EXPECT_NE(fault().find("weights: its content isn't the one that manifest.json has the hash of"),
            std::string::npos);
}

TEST_F(ManifestTest, FindsAnotherSizeAndAMissingFile) {
  directory_.write("config.json", "{} ");
  EXPECT_NE(fault().find("config.json: is 3 bytes long, manifest.json says 2"), std::string::npos);
  std::filesystem::remove(directory_.path() / "config.json");
  EXPECT_NE(fault().find("config.json: cannot be read"), std::string::npos);
}

TEST_F(ManifestTest, ADirectoryWithoutOneIsNotWhole) {
  std::filesystem::remove(directory_.path() / kManifestFile);
  EXPECT_NE(fault().find("manifest.json: cannot be read"), std::string::npos);
}

std::string message_for(const std::string& text) {
  return failure_of([&] { parse_manifest(text, "manifest.json"); }).message;
}

TEST(Manifest, NamesStayInTheDirectory) {
  for (const char* const name :
       {"../model", "a/b", "/etc/passwd", "..", ".", "", "manifest.json"}) {
    const std::string text = std::string("{\"format\": 1, \"files\": {\"") + name +
                             "\": {\"bytes\": 1, \"xxh3\": \"" + std::string(32, '0') + "\"}}}";
    EXPECT_NE(message_for(text).find("is no name of a file in its directory"), std::string::npos)
        << name;
  }
}

TEST(Manifest, OtherTextsAreRefused) {
  EXPECT_NE(message_for("{\"format\": 2, \"files\": {}}").find("use a newer one"),
            std::string::npos);
  for (const char* const text :
       {"", "[]", "{}", "{\"format\": 1}", "{\"format\": 1, \"files\": []}",
        "{\"format\": 1, \"files\": {\"a\": {\"bytes\": -1, \"xxh3\": \"00\"}}}",
        "{\"format\": 1, \"files\": {\"a\": {\"bytes\": 1, \"xxh3\": \"short\"}}}"}) {
    EXPECT_NE(message_for(text), "") << text;
  }
  EXPECT_EQ(message_for("{\"format\": 1, \"files\": {}}"), "");
}

}  // namespace
}  // namespace tandem
