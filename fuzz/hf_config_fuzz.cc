#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "model/hf_config.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const tandem::HfConfig config = tandem::parse_hf_config(
        std::string_view(reinterpret_cast<const char*>(data), size), "fuzz");
    tandem::hf_config_text(config);
    tandem::label_scheme(config);
  } catch (const tandem::Error&) {
  }
  return 0;
}
