#include "formats/parquet.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "formats/snappy.h"
#include "support/error_message.h"

namespace tandem {
namespace {

using testing::failure_of;

std::filesystem::path sample(const std::string& name) {
  return std::filesystem::path(TANDEM_TEST_DATA_DIR) / "formats" / "parquet" / (name + ".parquet");
}

// As tools/make_parquet_fixtures.py has it.
void expect_sample_table(const ParquetTable& table) {
  ASSERT_EQ(table.rows, 300);
  ASSERT_EQ(table.columns.size(), 6U);
  const char* const names[] = {"sentence", "note", "label", "idx", "score", "weight"};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(table.columns[i].name, names[i]);
    EXPECT_EQ(table.columns[i].numbers, i >= 2);
  }
  for (std::int64_t row = 0; row < table.rows; ++row) {
    const auto cell = [&](std::size_t column) { return table.columns[column].cell(row); };
    const bool no_note = table.columns[1].absent[static_cast<std::size_t>(row)] != 0;
    EXPECT_EQ(cell(0), row % 10 != 0 ? fmt::format("row {}\t\"\u00e9\"\n", row % 7) : "") << row;
    EXPECT_EQ(no_note, row % 3 != 0) << row;
    EXPECT_EQ(cell(1), no_note ? "" : fmt::format("note {}", row)) << row;
    EXPECT_EQ(cell(2), fmt::format("{}", row % 3 - 1)) << row;
    EXPECT_EQ(cell(3), fmt::format("{}", row * 1000)) << row;
    EXPECT_EQ(cell(4), fmt::format("{}", static_cast<float>(row) / 4)) << row;
    EXPECT_EQ(cell(5), row == 0 ? "0" : fmt::format("{}", -static_cast<double>(row) / 10)) << row;
  }
}

std::string content_of(const std::string& name) {
  return read_file(sample(name), ExitCode::kData, 1 << 20);
}

std::string failure(const std::string& content) {
  const auto found = failure_of([&] { parse_parquet(content, "a.parquet"); });
  EXPECT_EQ(found.code, ExitCode::kData);
  return found.message;
}

TEST(Parquet, ReadsWhatPyarrowWrites) {
  for (const char* name : {"dictionary", "plain", "version2"}) {
    SCOPED_TRACE(name);
    expect_sample_table(read_parquet(sample(name)));
  }
}

TEST(Parquet, SaysWhatIsNotSupported) {
  EXPECT_NE(failure(content_of("gzip")).find("compressed by codec 2; supported are Snappy (1)"),
            std::string::npos);
  EXPECT_NE(
      failure(content_of("delta")).find("column \"idx\": has a page in encoding 5, which isn't"),
      std::string::npos);
  EXPECT_NE(failure(content_of("list")).find("nested or a list, which isn't supported"),
            std::string::npos);
  EXPECT_NE(failure(content_of("boolean")).find("column \"yes\" has type 0; supported are INT32"),
            std::string::npos);
}

TEST(Parquet, AFileThatIsCutOffAnywhereIsRefused) {
  const std::string whole = content_of("dictionary");
  for (std::size_t size = 0; size < whole.size(); size += 97) {
    EXPECT_NE(failure(whole.substr(0, size)), "") << size;
  }
}

// Whatever a flipped bit makes of it, it is a table or an error, without a crash: the sanitizers
// watch.
TEST(Parquet, DamageIsNoCrash) {
  for (const char* name : {"dictionary", "plain", "version2"}) {
    const std::string whole = content_of(name);
    for (std::size_t at = 0; at < whole.size(); at += 101) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
      failure_of([&] { parse_parquet(damaged, "a.parquet"); });
    }
  }
}

TEST(Snappy, UnpacksLiteralsAndCopies) {
  const auto unpack = [](std::string_view packed, std::size_t bytes) {
    return unpack_snappy(packed, bytes, "x");
  };
  // "ab", then six bytes from two before: the copy reads what it writes.
  EXPECT_EQ(unpack(std::string_view("\x08\x04"
                                    "ab\x09\x02",
                                    6),
                   8),
            "abababab");
  EXPECT_EQ(unpack(std::string_view("\x08\x04"
                                    "ab\x16\x02\x00",
                                    7),
                   8),
            "abababab");
  EXPECT_EQ(unpack(std::string_view("\x08\x04"
                                    "ab\x17\x02\x00\x00\x00",
                                    9),
                   8),
            "abababab");
  EXPECT_EQ(unpack(std::string_view("\x02\xf0\x01"
                                    "ab",
                                    5),
                   2),
            "ab");
  EXPECT_EQ(unpack(std::string_view("\x00", 1), 0), "");
}

TEST(Snappy, RefusesNonsense) {
  using namespace std::string_view_literals;
  for (const std::string_view packed :
       {""sv,
        "\x03\x04"
        "ab"sv,
        "\x08\x04"
        "ab\x09\x03"sv,
        "\x08\x04"
        "ab\x09\x00"sv,
        "\x04\x04"
        "ab\x09\x02"sv,
        "\x08\xfc\xff\xff\xff\xff"sv, "\xff\xff\xff\xff\xff\x0f"sv}) {
    const auto found = failure_of([&] { unpack_snappy(packed, 8, "x"); });
    EXPECT_EQ(found.code, ExitCode::kData);
  }
}

}  // namespace
}  // namespace tandem
