#pragma once
// Rows from a file or from standard input.

#include <string>

#include <CLI/CLI.hpp>

#include "data/table_files.h"

namespace tandem {

inline constexpr const char* kStandardInput = "-";

// --format, of standard input; a file's format is told by its extension.
CLI::Option* add_format_flag(CLI::App& command, std::string& format);

// `path` may be kStandardInput. Throws DataError as the readers do.
LineReader open_rows(const std::string& path);
Table read_rows(const std::string& path, const std::string& format,
                FaultPolicy policy = FaultPolicy::kThrow);

}  // namespace tandem
