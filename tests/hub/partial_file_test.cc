#include "hub/partial_file.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "support/error_message.h"
#include "support/temporary_directory.h"

namespace tandem {
namespace {

using testing::failure_of;
using testing::TemporaryDirectory;

// Of "hello\n", as git has it.
constexpr const char* kEtag = "ce013625030ba8dba906f756967f9e9ca394464a";

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::int64_t files_in(const std::filesystem::path& directory) {
  return std::distance(std::filesystem::directory_iterator(directory), {});
}

TEST(PartialFile, BecomesTheBlobWhenItIsWhole) {
  const TemporaryDirectory directory;
  const std::filesystem::path blob = directory.path() / kEtag;
  PartialFile file(blob, 6, true);
  file.append(bytes_of("hel"));
  EXPECT_FALSE(std::filesystem::exists(blob));
  EXPECT_FALSE(file.complete());
  file.append(bytes_of("lo\n"));
  EXPECT_TRUE(file.complete());
  EXPECT_EQ(file.hash(), kEtag);
  file.commit();
  EXPECT_EQ(read_file(blob, ExitCode::kModel, 100), "hello\n");
  EXPECT_EQ(files_in(directory.path()), 1);
}

TEST(PartialFile, IsGoneOnWithByTheNextProcess) {
  const TemporaryDirectory directory;
  const std::filesystem::path blob = directory.path() / kEtag;
  for (const char* text : {"h", "hell"}) {  // of two that ended early, the longer one
    PartialFile(blob, 6, false).append(bytes_of(text));
  }
  EXPECT_EQ(files_in(directory.path()), 2);
  PartialFile file(blob, 6, true);
  EXPECT_EQ(file.size(), 4);
  EXPECT_TRUE(file.in_pieces());
  EXPECT_EQ(files_in(directory.path()), 1);
  file.append(bytes_of("o\n"));
  EXPECT_EQ(file.hash(), kEtag);
}

TEST(PartialFile, IsItsOwnForWhoDoesNotHoldTheLock) {
  const TemporaryDirectory directory;
  const std::filesystem::path blob = directory.path() / kEtag;
  PartialFile first(blob, 6, false);
  first.append(bytes_of("hello\n"));
  PartialFile second(blob, 6, false);
  EXPECT_EQ(second.size(), 0);
  second.append(bytes_of("hello\n"));
  first.commit();
  second.commit();
  EXPECT_EQ(read_file(blob, ExitCode::kModel, 100), "hello\n");
}

TEST(PartialFile, ThatWasTakenAwayIsDoneWhenTheBlobIsThere) {
  const TemporaryDirectory directory;
  const std::filesystem::path blob = directory.path() / kEtag;
  PartialFile robbed(blob, 6, false);
  robbed.append(bytes_of("hel"));
  PartialFile thief(blob, 6, true);
  thief.append(bytes_of("lo\n"));
  robbed.append(bytes_of("lo\n"));
  EXPECT_EQ(failure_of([&] { robbed.commit(); }).code, ExitCode::kWall);
  thief.commit();
  robbed.commit();
  EXPECT_EQ(read_file(blob, ExitCode::kModel, 100), "hello\n");
}

TEST(PartialFile, BeginsAgain) {
  const TemporaryDirectory directory;
  PartialFile file(directory.path() / kEtag, 6, true);
  file.append(bytes_of("nonse"));
  file.restart();
  EXPECT_EQ(file.size(), 0);
  file.append(bytes_of("hello\n"));
  EXPECT_EQ(file.hash(), kEtag);
  file.discard();
  EXPECT_EQ(files_in(directory.path()), 0);
}

TEST(PartialFile, TakesNoMoreThanIsExpected) {
  const TemporaryDirectory directory;
  PartialFile file(directory.path() / kEtag, 6, true);
  file.append(bytes_of("hello"));
  const auto failure = failure_of([&] { file.append(bytes_of("\n.")); });
  EXPECT_EQ(failure.code, ExitCode::kModel);
  EXPECT_NE(failure.message.find("more than the 6 bytes came"), std::string::npos);
}

TEST(PartialFile, LeftTooLongIsBegunAgain) {
  const TemporaryDirectory directory;
  directory.write(std::string(kEtag) + ".tandem-1.incomplete", "much too long");
  const PartialFile file(directory.path() / kEtag, 6, true);
  EXPECT_EQ(file.size(), 0);
}

}  // namespace
}  // namespace tandem
