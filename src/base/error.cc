#include "base/error.h"

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tandem {

void check_failed(const char* file, int line, const char* condition, const std::string& message) {
  std::fprintf(stderr, "%s:%d: check failed: %s: %s\n", file, line, condition, message.c_str());
  std::abort();
}

std::string errno_text(int number) {
  char buffer[256];
  std::string text = strerror_r(number, buffer, sizeof buffer);
  if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1]))) {
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  }
  return text;
}

}  // namespace tandem
