#pragma once
// One line that tells how far a long piece of work is.

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace tandem {

// What a line says beside how much is done.
struct ProgressNote {
  std::string text;
  double seconds_left = 0;
};

// On a terminal the line is rewritten in place, ten times a second at most; elsewhere a plain line
// is written every ten seconds. Work that ends within two seconds shows nothing.
class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  // `what` starts every line, e.g. "training". `total` pieces of work.
  Progress(std::string what, std::int64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `note` is only called when a line is due.
  void update(std::int64_t done, const std::function<ProgressNote()>& note);
  // All pieces are taken to be alike when the time left is worked out.
  void update(std::int64_t done);
  // Takes the line off the terminal, so that another can be written.
  void clear();

 private:
  std::string what_;
  std::int64_t total_;
  bool terminal_;
  bool line_shown_ = false;
  Clock::time_point start_, last_;
};

// "1:02:03", "4:05" or "12 s".
std::string format_duration(double seconds);

}  // namespace tandem
