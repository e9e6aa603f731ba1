#pragma once
// Flat tables in Parquet (github.com/apache/parquet-format), as the hub keeps data sets: columns of
// texts and numbers, without lists or nested records.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

struct ParquetColumn {
  std::string name;
  bool numbers = false;              // texts otherwise
  std::string text;                  // all cells end to end; numbers in the shortest decimal form
  std::vector<std::uint64_t> ends;   // [rows]: where each ends
  std::vector<std::uint8_t> absent;  // [rows]: 1 where there is none

  std::string_view cell(std::int64_t row) const;
};

struct ParquetTable {
  std::int64_t rows = 0;
  std::vector<ParquetColumn> columns;
};

// Reads a whole file: pages of version 1 and 2, plain or with a dictionary, not compressed or by
// Snappy. Throws DataError that names what is damaged or not supported (other encodings and
// compressions, nested columns, types but INT32, INT64, FLOAT, DOUBLE and BYTE_ARRAY).
ParquetTable read_parquet(const std::filesystem::path& path);

// The same of a file's content; `source` is what messages call it.
ParquetTable parse_parquet(std::string content, const std::string& source);

}  // namespace tandem
