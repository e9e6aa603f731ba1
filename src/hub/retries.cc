#include "hub/retries.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <thread>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/log.h"

namespace tandem {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kLongestPause{300};

std::optional<seconds> leading_number(std::string_view text) {
  long number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  return seconds(number);
}

void sleep_interruptibly(milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
    throw_if_interrupted("fetching; run it again to go on");
    const auto left =
        std::chrono::duration_cast<milliseconds>(end - std::chrono::steady_clock::now());
    std::this_thread::sleep_for(std::clamp(left, milliseconds(1), milliseconds(100)));
  }
}

}  // namespace

bool is_transient(long status) {
  constexpr std::array<long, 6> kStatuses{408, 429, 500, 502, 503, 504};
  return std::ranges::find(kStatuses, status) != kStatuses.end();
}

std::optional<seconds> asked_pause(const HttpHead& head) {
  if (const auto asked = leading_number(head.header("retry-after"))) return asked;
  const std::string limit = head.header("ratelimit");
  const std::size_t time = limit.find("t=");
  if (time == limit.npos) return std::nullopt;
  return leading_number(std::string_view(limit).substr(time + 2));
}

void Retries::pause(const std::string& reason, std::optional<seconds> asked) {
  if (asked && *asked > kLongestPause) {
    throw MachineError("{}, and asks for {} seconds of patience; run it again after that", reason,
                       asked->count());
  }
  if (used_ >= most_) {
    throw MachineError("{}; given up after {} tries; run it again to go on", reason, used_ + 1);
  }
  constexpr milliseconds kFirst{500};
  constexpr milliseconds kLongest{8000};
  const milliseconds usual = std::min(kFirst * (1 << std::min(used_, 10)), kLongest);
  const milliseconds time = asked ? milliseconds(*asked) : usual;
  ++used_;
  log_info("{}; trying again in {:.1f} s", reason, static_cast<double>(time.count()) / 1000);
  sleep_interruptibly(time);
}

}  // namespace tandem
