#include "report/event_file.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/event.h"
#include "report/tf_record.h"
#include "support/error_message.h"
#include "support/temporary_directory.h"

namespace tandem {
namespace {

using testing::TemporaryDirectory;

std::string bytes_of_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

// RFC 3720, appendix B.4, and the usual check value.
TEST(TfRecord, ChecksumIsCastagnolis) {
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62A8AB43U);
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(crc32c(""), 0U);
}

// Records and events as tensorboard 2.21 writes them: RecordWriter, Event.SerializeToString(), and
// PyTorch's summary.text.
TEST(TfRecord, IsTensorBoards) {
  EXPECT_EQ(tf_record("abc"), bytes_of_hex("0300000000000000b099490e6162636e57f121"));
}

TEST(Event, IsTensorBoards) {
  EXPECT_EQ(version_event(1.5), bytes_of_hex("09000000000000f83f1a0d627261696e2e4576656e743a32"));
  EXPECT_EQ(scalar_event({.seconds = 1.5, .step = 300}, "train/loss", 0.25F),
            bytes_of_hex("09000000000000f83f10ac022a130a110a0a747261696e2f6c6f7373150000803e"));
  EXPECT_EQ(text_event({.seconds = 1.5, .step = 1}, "args", "{\"a\": 1}"),
            bytes_of_hex("09000000000000f83f10012a330a310a11617267732f746578745f73756d6d6172794212"
                         "080712041202080142087b2261223a20317d4a080a060a0474657874"));
}

TEST(EventFile, NamesAreThoseOfTransformers) {
  EXPECT_EQ(event_tag("eval_f1"), "eval/f1");
  EXPECT_EQ(event_tag("loss"), "train/loss");
  EXPECT_EQ(event_tag("train_runtime"), "train/train_runtime");
  std::tm parts{};
  parts.tm_year = 126;
  parts.tm_mon = 10;
  parts.tm_mday = 3;
  parts.tm_hour = 9;
  parts.tm_min = 5;
  parts.tm_sec = 7;
  parts.tm_isdst = -1;
  EXPECT_EQ(run_folder(std::mktime(&parts), "h1"), "Nov03_09-05-07_h1");
}

TEST(EventFile, EachEntryIsInTheFileAtOnce) {
  const TemporaryDirectory directory;
  EventFile file(directory.path() / "runs" / "now", "h1");
  EXPECT_TRUE(file.path().filename().string().starts_with("events.out.tfevents."));
  const auto size = [&] { return std::filesystem::file_size(file.path()); };
  std::uintmax_t before = size();
  EXPECT_GT(before, 0U);
  file.add_entry({{"step", 3}, {"loss", 0.5}, {"note", "not a number"}});
  const std::string content = read_file(file.path(), ExitCode::kData, 1 << 20);
  EXPECT_NE(content.find("train/loss"), content.npos);
  EXPECT_EQ(content.find("train/step"), content.npos);
  EXPECT_EQ(content.find("note"), content.npos);
  before = size();
  file.add_text("args", "{}");
  EXPECT_GT(size(), before);
}

TEST(EventFile, APlaceThatCannotBeMadeIsTold) {
  const TemporaryDirectory directory;
  directory.write("file", "");
  const auto failure =
      testing::failure_of([&] { EventFile(directory.path() / "file" / "runs", "h1"); });
  EXPECT_EQ(failure.code, ExitCode::kWall);
  EXPECT_NE(failure.message.find("the directory cannot be made"), std::string::npos);
}

}  // namespace
}  // namespace tandem
