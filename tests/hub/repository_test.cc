#include "hub/repository.h"

#include <gtest/gtest.h>

#include "support/error_message.h"

namespace tandem {
namespace {

using testing::failure_of;

TEST(RepositoryName, MayHaveOneOrTwoParts) {
  for (const char* name : {"bert-base-cased", "google/bert_uncased_L-2_H-128_A-2", "a", "_/b.c"}) {
    EXPECT_TRUE(is_repository_name(name)) << name;
  }
  const std::string long_part(96, 'a');
  EXPECT_TRUE(is_repository_name(long_part + "/" + long_part));
}

TEST(RepositoryName, HasNothingThatAPathOrAnAddressWouldUnderstand) {
  for (const char* name : {"",     "/",     "a/",   "/a",   "a/b/c", ".",     "..",         "../a",
                           "a/..", "a..b",  "a--b", "-a",   "a-",    ".a",    "a.",         "a b",
                           "a\n",  "a%2fb", "a?b",  "a\\b", "a:b",   "a.git", "caf\xC3\xA9"}) {
    EXPECT_FALSE(is_repository_name(name)) << name;
  }
  EXPECT_FALSE(is_repository_name(std::string(97, 'a')));
  const auto failure =
      failure_of([] { checked_repository(RepositoryKind::kModel, "../etc", "main"); });
  EXPECT_EQ(failure.code, ExitCode::kUsage);
  EXPECT_NE(failure.message.find("\"../etc\": not a name on the hub; expected NAME or "),
            std::string::npos);
}

TEST(RepositoryName, IsAFolderInTheCache) {
  EXPECT_EQ(folder_name({.name = "bert-base-cased"}), "models--bert-base-cased");
  EXPECT_EQ(folder_name({.kind = RepositoryKind::kDataset, .name = "nyu-mll/glue"}),
            "datasets--nyu-mll--glue");
}

TEST(Revision, StaysInsideItsFolder) {
  for (const char* revision : {"main", "v1.0", "refs/pr/1", "feature/a+b"}) {
    EXPECT_EQ(checked_repository(RepositoryKind::kModel, "a", revision).revision, revision);
  }
  for (const char* revision :
       {"", "..", "../main", "a/../b", "/etc", "a//b", "a/", "./a", "a b", "a\\b", "a?b", "a%2e"}) {
    const auto failure =
        failure_of([&] { checked_repository(RepositoryKind::kModel, "a", revision); });
    EXPECT_EQ(failure.code, ExitCode::kUsage) << revision;
    EXPECT_EQ(failure.message,
              std::string("--revision \"") + revision + "\": not a branch, a tag or a commit");
  }
}

TEST(PathInside, HasNoWayOut) {
  for (const char* path : {"a", "a/b.json", "...", "a..b", ".gitattributes", "with blank/x"}) {
    EXPECT_TRUE(is_path_inside(path)) << path;
  }
  for (const char* path : {"", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/."}) {
    EXPECT_FALSE(is_path_inside(path)) << path;
  }
  EXPECT_FALSE(is_path_inside(std::string_view("a\0b", 3)));
  EXPECT_FALSE(is_path_inside(std::string(1025, 'a')));
}

TEST(Hashes, AreLowerCaseDigitsOfOneLength) {
  EXPECT_TRUE(is_commit(std::string(40, 'f')));
  EXPECT_FALSE(is_commit(std::string(40, 'F')));
  EXPECT_FALSE(is_commit(std::string(39, 'f')));
  EXPECT_TRUE(is_sha256(std::string(64, '0')));
  EXPECT_FALSE(is_sha256(std::string(63, '0') + "/"));
}

}  // namespace
}  // namespace tandem
