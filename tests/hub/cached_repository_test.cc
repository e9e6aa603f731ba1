#include "hub/cached_repository.h"

#include <fstream>

#include <gtest/gtest.h>

#include "base/file.h"
#include "support/error_message.h"
#include "support/temporary_directory.h"

namespace tandem {
namespace {

using testing::failure_of;
using testing::TemporaryDirectory;

const std::string kCommit(40, 'c');
const std::string kEtag(40, 'e');

class CacheTest : public ::testing::Test {
 protected:
  CachedRepository cached(const std::string& revision = "main", bool symlinks = true) const {
    HubSettings settings;
    settings.cache = directory_.path() / "hub";
    settings.symlinks = symlinks;
    return {settings, {.name = "org/m", .revision = revision}};
  }
  static void add_blob(const CachedRepository& cache, const std::string& content) {
    std::ofstream(cache.blob(kEtag)) << content;
  }
  std::filesystem::path folder() const { return directory_.path() / "hub" / "models--org--m"; }

  TemporaryDirectory directory_;
};

TEST_F(CacheTest, LinksFilesAsHuggingfaceHubDoes) {
  const CachedRepository cache = cached();
  cache.prepare();
  add_blob(cache, "text");
  cache.link(kCommit, "config.json", kEtag);
  cache.link(kCommit, "config.json", kEtag);
  const auto link = folder() / "snapshots" / kCommit / "config.json";
  EXPECT_EQ(std::filesystem::read_symlink(link), "../../blobs/" + kEtag);
  EXPECT_EQ(read_file(link, ExitCode::kModel, 10), "text");
  EXPECT_TRUE(std::filesystem::exists(directory_.path() / "hub" / "CACHEDIR.TAG"));
  EXPECT_TRUE(cache.has_blob(kEtag, 4));
  EXPECT_FALSE(cache.has_blob(kEtag, 5));
}

TEST_F(CacheTest, CopiesWhereLinksAreNotWanted) {
  const CachedRepository cache = cached("main", false);
  cache.prepare();
  add_blob(cache, "text");
  cache.link(kCommit, "config.json", kEtag);
  const auto copy = folder() / "snapshots" / kCommit / "config.json";
  EXPECT_FALSE(std::filesystem::is_symlink(copy));
  EXPECT_EQ(read_file(copy, ExitCode::kModel, 10), "text");
}

TEST_F(CacheTest, RepairsALinkThatLeadsNowhere) {
  const CachedRepository cache = cached();
  cache.prepare();
  std::filesystem::create_directories(folder() / "snapshots" / kCommit);
  const auto link = folder() / "snapshots" / kCommit / "config.json";
  std::filesystem::create_symlink("../../blobs/gone", link);
  add_blob(cache, "text");
  cache.link(kCommit, "config.json", kEtag);
  EXPECT_EQ(read_file(link, ExitCode::kModel, 10), "text");
}

TEST_F(CacheTest, KnowsACommitByItsRevision) {
  const CachedRepository cache = cached("refs/pr/1");
  EXPECT_EQ(cache.commit(), std::nullopt);
  cache.prepare();
  cache.set_commit(kCommit);
  EXPECT_EQ(read_file(folder() / "refs" / "refs" / "pr" / "1", ExitCode::kModel, 100), kCommit);
  EXPECT_EQ(cache.commit(), std::nullopt) << "without a snapshot";
  add_blob(cache, "text");
  cache.link(kCommit, "config.json", kEtag);
  EXPECT_EQ(cache.commit(), kCommit);
  EXPECT_EQ(cached(kCommit).commit(), kCommit);
  EXPECT_EQ(cached("main").commit(), std::nullopt);
}

TEST_F(CacheTest, ADamagedReferenceMeansNothing) {
  for (const char* text : {"", "main", "../../../../etc"}) {
    std::filesystem::create_directories(folder() / "refs");
    std::ofstream(folder() / "refs" / "main") << text;
    EXPECT_EQ(cached().commit(), std::nullopt) << text;
  }
}

TEST_F(CacheTest, NotesWhatACommitDoesNotHave) {
  const CachedRepository cache = cached();
  cache.prepare();
  cache.note_absence(kCommit, "added_tokens.json");
  cache.note_absence(kCommit, "added_tokens.json");
  EXPECT_EQ(read_file(folder() / ".no_exist" / kCommit / "added_tokens.json", ExitCode::kModel, 1),
            "");
}

TEST_F(CacheTest, SaysWhenItCannotBeWritten) {
  directory_.write("hub", "a file");
  const auto failure = failure_of([&] { cached().prepare(); });
  EXPECT_EQ(failure.code, ExitCode::kWall);
  EXPECT_NE(failure.message.find("HF_HUB_CACHE names another cache"), std::string::npos);
}

}  // namespace
}  // namespace tandem
