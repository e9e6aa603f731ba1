#pragma once
// Whether a TCP port of another host can be reached, shown by a byte that comes back, and how fast
// the way there is.

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cluster/tcp_socket.h"

namespace tandem {

enum class PortAnswer {
  kExchanged,
  kRefused,  // the host says that nothing listens: a firewall that rejects, or another host
  kSilent,   // nothing came in time: a firewall that drops, one way or the other
  kFailed,
};

struct PortReach {
  PortAnswer answer = PortAnswer::kSilent;
  std::string error;  // what the system says, where it failed
};

// Connects to all PortServers at the same time and has each send a byte back.
std::vector<PortReach> reach_ports(std::span<const Endpoint> endpoints,
                                   std::chrono::milliseconds deadline);

struct LinkRate {
  double bits_per_second = 0;     // as received there, in a quarter of a second
  double round_trip_seconds = 0;  // of a byte, the median of several
};

// The way to one PortServer; nothing when it breaks off or takes longer than `deadline`.
std::optional<LinkRate> measure_link(const Endpoint& endpoint, std::chrono::milliseconds deadline);

}  // namespace tandem
