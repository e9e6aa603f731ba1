#include "hub/listing.h"

#include <gtest/gtest.h>

#include "support/error_message.h"

namespace tandem {
namespace {

using testing::failure_of;

const std::string kCommit(40, 'c');
const std::string kSha1(40, '1');
const std::string kSha256(64, '2');

std::string answer(const std::string& siblings) {
  return R"({"id": "a", "sha": ")" + kCommit + R"(", "siblings": [)" + siblings + "]}";
}

std::string failure(const std::string& text) {
  const auto found = failure_of([&] { parse_listing(text, "hub"); });
  EXPECT_EQ(found.code, ExitCode::kModel) << text;
  return found.message;
}

TEST(Listing, HasTheCommitAndEachFilesHash) {
  const Listing listing =
      parse_listing(answer(R"({"rfilename": "config.json", "size": 5, "blobId": ")" + kSha1 + R"("},
                {"rfilename": "model.safetensors", "size": 7, "blobId": ")" +
                           kSha1 + R"(", "lfs": {"sha256": ")" + kSha256 +
                           R"(", "size": 7, "pointerSize": 134}})"),
                    "hub");
  EXPECT_EQ(listing.commit, kCommit);
  ASSERT_EQ(listing.files.size(), 2U);
  EXPECT_EQ(listing.find("config.json")->etag, kSha1);
  EXPECT_EQ(listing.find("config.json")->bytes, 5);
  EXPECT_EQ(listing.find("model.safetensors")->etag, kSha256);
  EXPECT_EQ(listing.find("vocab.txt"), nullptr);
}

TEST(Listing, NamesNoFileOutsideOfTheRepository) {
  for (const char* path : {"../config.json", "/etc/passwd", "a/../../b", ""}) {
    EXPECT_NE(failure(answer(std::string(R"({"rfilename": ")") + path +
                             R"(", "size": 5, "blobId": ")" + kSha1 + R"("})"))
                  .find("leads out of the repository: nothing of it is fetched"),
              std::string::npos)
        << path;
  }
}

TEST(Listing, AHashBecomesAFileNameAndMustBeOne) {
  for (const std::string& hash : {std::string("../../x"), std::string(40, 'F'), std::string()}) {
    EXPECT_NE(failure(answer(R"({"rfilename": "a", "size": 5, "blobId": ")" + hash + R"("})"))
                  .find("expected 40 hexadecimal digits"),
              std::string::npos);
    EXPECT_NE(
        failure(answer(R"({"rfilename": "a", "lfs": {"size": 5, "sha256": ")" + hash + R"("}})"))
            .find("expected 64 hexadecimal digits"),
        std::string::npos);
  }
  EXPECT_NE(failure(R"({"sha": "main", "siblings": []})").find("expected a commit"),
            std::string::npos);
}

TEST(Listing, WhatIsNoListingIsRefused) {
  for (const std::string& text :
       {std::string("<html>log in</html>"), std::string("[]"), std::string("{}"),
        std::string(R"({"sha": ")" + kCommit + R"("})"), answer("1"), answer("{}"),
        answer(R"({"rfilename": "a"})"),
        answer(R"({"rfilename": "a", "size": -1, "blobId": ")" + kSha1 + R"("})"),
        answer(R"({"rfilename": "a", "size": 1e300, "blobId": ")" + kSha1 + R"("})")}) {
    EXPECT_EQ(failure(text).substr(0, 3), "hub") << text;
  }
}

}  // namespace
}  // namespace tandem
