#include "base/progress.h"

#include <cmath>
#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "base/log.h"

namespace tandem {
namespace {

using std::chrono::duration;

double seconds_between(Progress::Clock::time_point from, Progress::Clock::time_point to) {
  return duration<double>(to - from).count();
}

}  // namespace

Progress::Progress(std::string what, std::int64_t total)
    : what_(std::move(what)),
      total_(total),
      terminal_(isatty(STDERR_FILENO) != 0 && !log_is_silent()),
      start_(Clock::now()),
      last_(start_) {}

Progress::~Progress() { clear(); }

void Progress::update(std::int64_t done) {
  update(done, [&] {
    const double elapsed = seconds_between(start_, Clock::now());
    const double left =
        done == 0 ? 0 : elapsed * static_cast<double>(total_ - done) / static_cast<double>(done);
    return ProgressNote{.text = {}, .seconds_left = left};
  });
}

void Progress::update(std::int64_t done, const std::function<ProgressNote()>& note) {
  const Clock::time_point now = Clock::now();
  const bool due =
      seconds_between(start_, now) >= 2 &&
      (terminal_ ? seconds_between(last_, now) >= 0.1 : seconds_between(last_, now) >= 10);
  if (!due) return;
  last_ = now;
  const auto [text, seconds_left] = note();
  const std::string line =
      fmt::format("{} {}/{} ({:.0f}%){}{}, {} left", what_, done, total_,
                  100.0 * static_cast<double>(done) / static_cast<double>(total_),
                  text.empty() ? "" : ", ", text, format_duration(seconds_left));
  if (!terminal_) {
    log_line(line);
    return;
  }
  fmt::print(stderr, "\r{}\x1b[K", line);
  std::fflush(stderr);
  line_shown_ = true;
}

void Progress::clear() {
  if (!line_shown_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  line_shown_ = false;
}

std::string format_duration(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace tandem
