#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "hub/listing.h"
#include "hub/model_files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    tandem::choose_model_files(tandem::parse_listing(text, "fuzz"), "fuzz");
  } catch (const tandem::Error&) {
  }
  return 0;
}
