#include "base/log.h"

#include <cstdio>
#include <string>

namespace tandem {

void log_line(std::string_view line) {
  std::string text(line);
  text += '\n';
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace tandem
