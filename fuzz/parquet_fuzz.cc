#include <cstdint>
#include <string>

#include "base/error.h"
#include "formats/parquet.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    tandem::parse_parquet(std::string(reinterpret_cast<const char*>(data), size), "fuzz");
  } catch (const tandem::Error&) {
  }
  return 0;
}
