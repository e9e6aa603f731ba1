#include "data/byte_source.h"

#include <sstream>

#include <gtest/gtest.h>
#include <zlib.h>

#include "data/table_files.h"
#include "support/error_message.h"
#include "support/temporary_directory.h"

namespace tandem {
namespace {

using testing::failure_of;
using testing::TemporaryDirectory;

std::string packed(const std::string& text) {
  z_stream state = {};
  EXPECT_EQ(deflateInit2(&state, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&state, static_cast<uLong>(text.size())) + 32, '\0');
  std::string in = text;
  state.next_in = reinterpret_cast<Bytef*>(in.data());
  state.avail_in = static_cast<uInt>(in.size());
  state.next_out = reinterpret_cast<Bytef*>(out.data());
  state.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&state, Z_FINISH), Z_STREAM_END);
  out.resize(state.total_out);
  deflateEnd(&state);
  return out;
}

std::string all_bytes(const std::string& data, std::size_t piece = 1000) {
  std::istringstream stream(data);
  const std::unique_ptr<ByteSource> source = open_bytes(stream, "text");
  std::string text, buffer(piece, '\0');
  while (const std::size_t got = source->read(buffer)) text += buffer.substr(0, got);
  return text;
}

TEST(ByteSource, GivesWhatIsThereUnpackedWhereItIsGzip) {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += std::to_string(i * 7919 % 10'007) + "\n";
  for (const std::string& content : {std::string(), std::string("a"), std::string("ab"), text}) {
    EXPECT_EQ(all_bytes(content), content);
    EXPECT_EQ(all_bytes(packed(content)), content);
    EXPECT_EQ(all_bytes(packed(content), 1 << 20), content);
  }
  EXPECT_EQ(all_bytes(packed("first\n") + packed("") + packed("second\n")), "first\nsecond\n");
}

TEST(ByteSource, RefusesGzipThatIsCutOffOrDamaged) {
  std::string whole = packed("a text that is long enough to be damaged in its middle");
  const auto cut = failure_of([&] { all_bytes(whole.substr(0, whole.size() - 5)); });
  EXPECT_EQ(cut.code, ExitCode::kData);
  EXPECT_EQ(cut.message, "text: the gzip data ends early: the file is cut off");
  whole[whole.size() - 6] ^= 1;  // of the checksum
  EXPECT_EQ(failure_of([&] { all_bytes(whole); }).message,
            "text: the gzip data is damaged: incorrect data check");
  EXPECT_EQ(failure_of([] { all_bytes("\x1F\x8B and then nothing of the kind"); }).message,
            "text: the gzip data is damaged: unknown compression method");
}

TEST(ByteSource, TablesOfEveryFormatMayBePacked) {
  const TemporaryDirectory directory;
  const std::pair<const char*, const char*> files[] = {
      {"rows.tsv.gz", "text\tlabel\na film\tgood\n"},
      {"rows.csv.gz", "text,label\na film,good\n"},
      {"rows.jsonl.gz", "{\"text\": \"a film\", \"label\": \"good\"}\n"},
      {"ROWS.JSON.GZ", "{\"text\": \"a film\", \"label\": \"good\"}\n"},
      {"rows.txt.gz", "a film\tgood\n"},
      {"not-packed.tsv.gz", ""}};
  for (const auto& [name, text] : files) {
    const bool plain = std::string_view(text).empty();
    const auto path = directory.write(name, plain ? "text\tlabel\na film\tgood\n" : packed(text));
    const Table table = read_table(path);
    ASSERT_EQ(table.rows(), 1) << name;
    EXPECT_EQ(table.cell(0, 0), "a film") << name;
    EXPECT_EQ(table.cell(0, 1), "good") << name;
  }
  EXPECT_NE(failure_of([] { table_format("rows.gz"); }).message.find("the extension \"\""),
            std::string::npos);
}

}  // namespace
}  // namespace tandem
