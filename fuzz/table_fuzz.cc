#include <cstdint>
#include <sstream>
#include <string>

#include "base/error.h"
#include "data/columns.h"
#include "data/labels.h"
#include "data/table_files.h"

// The first byte chooses the format.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr tandem::TableFormat kFormats[] = {tandem::TableFormat::kTsv, tandem::TableFormat::kCsv,
                                              tandem::TableFormat::kJsonLines,
                                              tandem::TableFormat::kTextLines};
  std::istringstream stream(std::string(reinterpret_cast<const char*>(data) + 1, size - 1));
  try {
    const tandem::Table table = tandem::read_table(stream, kFormats[data[0] % 4]);
    const tandem::ColumnChoice columns =
        tandem::choose_columns(table, {}, tandem::LabelNeed::kRequired);
    tandem::infer_labels(table, *columns.label, tandem::LabelReading::kInfer);
  } catch (const tandem::Error&) {
  }
  return 0;
}
