#pragma once
// Tables written out in a test.

#include <sstream>
#include <string>

#include "data/table_files.h"

namespace tandem::testing {

inline Table table_of(const std::string& text, TableFormat format = TableFormat::kTsv) {
  std::istringstream stream(text);
  return read_table(stream, format);
}

}  // namespace tandem::testing
