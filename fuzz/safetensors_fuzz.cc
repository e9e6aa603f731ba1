#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "formats/safetensors.h"
#include "formats/weight_files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    tandem::parse_safetensors_header(text, static_cast<std::int64_t>(size) + 4096, "fuzz");
  } catch (const tandem::Error&) {
  }
  try {
    tandem::parse_weight_index(text, "fuzz");
  } catch (const tandem::Error&) {
  }
  return 0;
}
