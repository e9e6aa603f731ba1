#include "data/parquet_table.h"

#include <string>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "base/utf8.h"
#include "formats/parquet.h"

namespace tandem {

Table read_parquet_table(const std::filesystem::path& path) {
  const ParquetTable parquet = read_parquet(path);
  std::vector<std::string> names;
  for (const ParquetColumn& column : parquet.columns) {
    if (const auto offset = first_invalid_utf8(column.text)) {
      throw DataError("{}: column {}: byte {} of its texts is not UTF-8", path.string(),
                      in_quotes(column.name), *offset + 1);
    }
    names.push_back(column.name);
  }
  Table table(path.string(), std::move(names), 0);
  for (std::int64_t row = 0; row < parquet.rows; ++row) {
    for (const ParquetColumn& column : parquet.columns) {
      const bool absent = column.absent[static_cast<std::size_t>(row)] != 0;
      const CellKind kind = column.numbers ? CellKind::kNumber : CellKind::kText;
      table.add_cell(column.cell(row), absent ? CellKind::kNull : kind);
    }
    table.end_row(row + 1);
  }
  return table;
}

}  // namespace tandem
