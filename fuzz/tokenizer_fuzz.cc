#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "text/tokenizer_config.h"
#include "text/tokenizer_json.h"
#include "text/vocabulary_file.h"

// The first byte chooses the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    switch (data[0] % 3) {
      case 0:
        tandem::parse_tokenizer_json(text, "fuzz");
        break;
      case 1:
        tandem::parse_tokenizer_config(text, "fuzz");
        break;
      default:
        tandem::parse_vocabulary_file(text, "fuzz", tandem::TokenizerConfig());
    }
  } catch (const tandem::Error&) {
  }
  return 0;
}
