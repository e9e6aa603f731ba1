#include "base/log.h"

#include <atomic>
#include <cstdio>
#include <string>

namespace tandem {
namespace {

// Of the process, as standard error is.
std::atomic<bool> silent{false};

}  // namespace

void silence_log() { silent = true; }

bool log_is_silent() { return silent; }

void log_error(std::string_view line) {
  std::string text(line);
  text += '\n';
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void log_line(std::string_view line) {
  if (!silent) log_error(line);
}

}  // namespace tandem
