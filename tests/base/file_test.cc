#include "base/file.h"

#include <gtest/gtest.h>

#include "support/error_message.h"
#include "support/temporary_directory.h"

namespace tandem {
namespace {

using testing::failure_of;
using testing::TemporaryDirectory;

TEST(File, ReadsWhatStagedFilesWrote) {
  const TemporaryDirectory directory;
  StagedFiles files(directory.path() / "new");
  files.add("a.txt", "one");
  files.add("b.txt", "two");
  EXPECT_FALSE(std::filesystem::exists(directory.path() / "new" / "a.txt"));
  files.commit();
  EXPECT_EQ(read_file(directory.path() / "new" / "a.txt", ExitCode::kData, 10), "one");
  EXPECT_EQ(read_file(directory.path() / "new" / "b.txt", ExitCode::kData, 10), "two");
}

TEST(File, StagedFilesThatAreNotCommittedLeaveEverythingAsItWas) {
  const TemporaryDirectory directory;
  directory.write("a.txt", "old");
  {
    StagedFiles files(directory.path());
    files.add("a.txt", "new");
  }
  EXPECT_EQ(read_file(directory.path() / "a.txt", ExitCode::kData, 10), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory.path()), {}), 1);
}

TEST(File, NamesThePathAndTheReason) {
  const TemporaryDirectory directory;
  const auto missing =
      failure_of([&] { read_file(directory.path() / "no.tsv", ExitCode::kData, 10); });
  EXPECT_EQ(missing.code, ExitCode::kData);
  EXPECT_NE(missing.message.find("no.tsv: cannot be read: no such file"), std::string::npos)
      << missing.message;
  const auto folder = failure_of([&] { read_file(directory.path(), ExitCode::kModel, 10); });
  EXPECT_EQ(folder.code, ExitCode::kModel);
  EXPECT_NE(folder.message.find("found a directory"), std::string::npos) << folder.message;
  const auto large =
      failure_of([&] { read_file(directory.write("big", "0123456789ABC"), ExitCode::kData, 10); });
  EXPECT_NE(large.message.find("13 bytes long, at most 10"), std::string::npos) << large.message;
}

}  // namespace
}  // namespace tandem
