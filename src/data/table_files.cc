#include "data/table_files.h"

#include <array>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/printable.h"
#include "data/csv.h"
#include "data/json_lines.h"
#include "data/tsv.h"

namespace tandem {
namespace {

struct Extension {
  std::string_view name;
  TableFormat format;
};
constexpr std::array<Extension, 5> kExtensions = {{{".tsv", TableFormat::kTsv},
                                                   {".csv", TableFormat::kCsv},
                                                   {".json", TableFormat::kJsonLines},
                                                   {".jsonl", TableFormat::kJsonLines},
                                                   {".txt", TableFormat::kTextLines}}};

Table read_lines(LineReader& lines, TableFormat format) {
  switch (format) {
    case TableFormat::kTsv:
      return read_tsv(lines);
    case TableFormat::kCsv:
      return read_csv(lines);
    case TableFormat::kJsonLines:
      return read_json_lines(lines);
    case TableFormat::kTextLines:
      break;
  }
  return read_text_lines(lines);
}

}  // namespace

TableFormat table_format(const std::filesystem::path& path) {
  const std::string packed = lower_case(path.extension().string());
  const std::string extension =
      packed == ".gz" ? lower_case(path.stem().extension().string()) : packed;
  for (const Extension& known : kExtensions) {
    if (known.name == extension) return known.format;
  }
  throw DataError(
      "{}: the extension {} says nothing of the format; expected .tsv, .csv, .json or "
      ".jsonl (JSON Lines), or .txt (a text on each line), packed with gzip (.gz) or not",
      path.string(), in_quotes(extension));
}

Table read_table(const std::filesystem::path& path, FaultPolicy policy) {
  const TableFormat format = table_format(path);
  LineReader lines(path, policy);
  return read_lines(lines, format);
}

Table read_table(std::istream& stream, TableFormat format, FaultPolicy policy) {
  LineReader lines(stream, "standard input", policy);
  return read_lines(lines, format);
}

}  // namespace tandem
