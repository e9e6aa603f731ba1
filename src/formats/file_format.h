#pragma once
// The number by which a JSON file of our own says how it is laid out.

#include <cstdint>
#include <limits>
#include <string>

#include "formats/json.h"

namespace tandem {

// Throws Error of the file's kind unless its "format" is a whole number from 1 to `newest`.
inline void check_file_format(const JsonValue& file, std::int64_t newest) {
  const std::int64_t format =
      file.at("format").whole_number(1, std::numeric_limits<std::int64_t>::max());
  if (format <= newest) return;
  file.fail(fmt::format("has format {}, and this version of tandem reads {}: use a newer one",
                        format, newest));
}

}  // namespace tandem
