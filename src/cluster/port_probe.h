#pragma once
// Whether a TCP port of another host can be reached, shown by a byte that comes back, and how fast
// the way there is.

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tandem {

// Listens on a free port for as long as it lives, and answers any number of the questions below
// from a thread of its own.
class PortServer {
 public:
  // Throws MachineError when `address` isn't this host's.
  explicit PortServer(const std::string& address);
  ~PortServer();
  PortServer(const PortServer&) = delete;
  PortServer& operator=(const PortServer&) = delete;
  int port() const { return port_; }

 private:
  class Answering;
  int port_ = 0;
  std::unique_ptr<Answering> answering_;
};

struct Endpoint {
  std::string address;  // IPv4 or IPv6, as text
  int port = 0;
};

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
