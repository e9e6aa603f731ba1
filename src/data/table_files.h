#pragma once
// A table from a file or a stream, whatever its format.

#include <cstdint>
#include <filesystem>
#include <istream>

#include "data/line_reader.h"
#include "data/table.h"

namespace tandem {

// kTextLines has no header: see read_text_lines.
enum class TableFormat : std::uint8_t { kTsv, kCsv, kJsonLines, kTextLines };

// By the extension, in any case: .tsv, .csv, .json and .jsonl (both JSON Lines), .txt (a text on
// each line), each also with .gz behind it. Throws DataError for any other.
TableFormat table_format(const std::filesystem::path& path);

// Throws DataError as the format's reader and LineReader do. With kCollect what is wrong with
// single rows is in Table::faults.
Table read_table(const std::filesystem::path& path, FaultPolicy policy = FaultPolicy::kThrow);

// The same from a stream, which messages call "standard input".
Table read_table(std::istream& stream, TableFormat format,
                 FaultPolicy policy = FaultPolicy::kThrow);

}  // namespace tandem
