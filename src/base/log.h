#pragma once
// Lines for the person who runs the program. They go to standard error, so that what a command
// answers (predictions, token ids, JSON) can be piped from standard output.

#include <string_view>

#include <fmt/format.h>

namespace tandem {

// From now on nothing but errors is written: of a job's processes one speaks. Called once, at the
// start.
void silence_log();
bool log_is_silent();

// Written in any case.
void log_error(std::string_view line);

// Writes one whole line with a single call, so that lines of several threads don't mix.
void log_line(std::string_view line);

template <class... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  log_line(fmt::format(format, std::forward<Args>(args)...));
}

// As log_info, behind "warning: ".
template <class... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) {
  log_line("warning: " + fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace tandem
