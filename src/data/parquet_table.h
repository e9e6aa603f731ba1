#pragma once
// A data set's file in Parquet as a table.

#include <filesystem>

#include "data/table.h"

namespace tandem {

// Texts become text cells, numbers number cells, absent values null. A row's line is its number,
// from 1. Throws DataError as read_parquet does, and for texts that aren't UTF-8.
Table read_parquet_table(const std::filesystem::path& path);

}  // namespace tandem
