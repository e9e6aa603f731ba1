#include "base/directory.h"

#include <gtest/gtest.h>

#include "support/error_message.h"
#include "support/temporary_directory.h"

namespace tandem {
namespace {

using testing::TemporaryDirectory;

std::size_t entries_in(const std::filesystem::path& directory) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(directory),
                                                std::filesystem::directory_iterator()));
}

TEST(StagedDirectory, AppearsWholeWhenItIsCommitted) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory.path() / "made";
  StagedDirectory staged(path);
  staged.files().add("a", "first");
  staged.files().add("b", "second");
  EXPECT_FALSE(std::filesystem::exists(path));
  staged.commit();
  EXPECT_EQ(read_file(path / "b", ExitCode::kData, 10), "second");
  EXPECT_EQ(entries_in(path), 2U);
  EXPECT_EQ(entries_in(directory.path()), 1U);
}

TEST(StagedDirectory, WithoutCommitLeavesNothing) {
  const TemporaryDirectory directory;
  { StagedDirectory(directory.path() / "made").files().add("a", "first"); }
  EXPECT_EQ(entries_in(directory.path()), 0U);
}

TEST(StagedDirectory, ReplacesOneThatIsThereWithAllThatIsInIt) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory.path() / "made";
  std::filesystem::create_directory(path);
  directory.write("made/old", "");
  StagedDirectory staged(path);
  staged.files().add("new", "");
  EXPECT_TRUE(std::filesystem::exists(path / "old"));
  staged.commit();
  EXPECT_TRUE(std::filesystem::exists(path / "new"));
  EXPECT_EQ(entries_in(path), 1U);
  EXPECT_EQ(entries_in(directory.path()), 1U);
}

TEST(StagedDirectory, BelowAFileIsAWall) {
  const TemporaryDirectory directory;
  directory.write("file", "mine");
  const auto failure =
      testing::failure_of([&] { StagedDirectory(directory.path() / "file" / "made"); });
  EXPECT_EQ(failure.code, ExitCode::kWall);
}

}  // namespace
}  // namespace tandem
