#pragma once
// The pages of a column in a Parquet file.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/byte_reader.h"
#include "formats/parquet.h"

namespace tandem {

// Parquet's own numbers.
enum class ParquetType : std::uint8_t {
  kInt32 = 1,
  kInt64 = 2,
  kFloat = 4,
  kDouble = 5,
  kBytes = 6
};
enum class ParquetCodec : std::uint8_t { kNone = 0, kSnappy = 1 };

struct ParquetChunk {
  ParquetType type = ParquetType::kBytes;
  ParquetCodec codec = ParquetCodec::kNone;
  bool optional = false;    // a cell may be absent
  std::int64_t values = 0;  // absent ones too
};

// Reads one column's pages of one group of rows and appends its cells.
class ParquetPageReader {
 public:
  // `source` says whose pages they are, for messages.
  ParquetPageReader(const ParquetChunk& chunk, std::string_view pages, std::string source);
  // Throws DataError when they aren't `chunk.values` cells.
  void append_to(ParquetColumn& column);

 private:
  struct Page;
  Page next_page();
  void read_dictionary(const Page& page);
  void read_data(Page page, ParquetColumn& column);
  std::vector<std::string> plain_values(ByteReader& values, std::int64_t count) const;
  std::string plain_value(ByteReader& values) const;
  [[noreturn]] void fail(std::string_view message) const;

  ParquetChunk chunk_;
  std::string source_;
  ByteReader pages_;
  std::vector<std::string> dictionary_;
};

}  // namespace tandem
