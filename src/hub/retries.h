#pragma once
// How often, and after which pauses, something is tried again.

#include <chrono>
#include <optional>
#include <string>

#include "hub/http_client.h"

namespace tandem {

// Whether an answer means "not now": 408, 429, 500, 502, 503, 504.
bool is_transient(long status);

// What the server asks for by Retry-After, in seconds, or by RateLimit ("api";r=0;t=55).
std::optional<std::chrono::seconds> asked_pause(const HttpHead& head);

class Retries {
 public:
  // `most` times in a row without success.
  explicit Retries(int most) : most_(most) {}

  // Something was gained: all tries are there again.
  void reset() { used_ = 0; }
  // Pauses before the next try: as long as was asked for, else half a second, doubled each time, 8
  // at most. Throws MachineError with `reason` when no try is left or the pause that is asked for
  // is longer than five minutes, and Error with exit code 75 when interrupted.
  void pause(const std::string& reason, std::optional<std::chrono::seconds> asked);

 private:
  int most_;
  int used_ = 0;
};

}  // namespace tandem
