#include "cli/table_input.h"

#include <iostream>
#include <map>

namespace tandem {

CLI::Option* add_format_flag(CLI::App& command, std::string& format) {
  return command.add_option("--format", format, "of standard input: txt, tsv, csv or jsonl")
      ->check(CLI::IsMember({"txt", "tsv", "csv", "jsonl"}))
      ->capture_default_str();
}

LineReader open_rows(const std::string& path) {
  return path == kStandardInput ? LineReader(std::cin, "standard input") : LineReader(path);
}

Table read_rows(const std::string& path, const std::string& format, FaultPolicy policy) {
  if (path != kStandardInput) return read_table(path, policy);
  const std::map<std::string, TableFormat> formats = {{"txt", TableFormat::kTextLines},
                                                      {"tsv", TableFormat::kTsv},
                                                      {"csv", TableFormat::kCsv},
                                                      {"jsonl", TableFormat::kJsonLines}};
  return read_table(std::cin, formats.at(format), policy);
}

}  // namespace tandem
