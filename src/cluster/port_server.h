#pragma once
// The other side of a port probe.

#include <memory>
#include <string>

namespace tandem {

// Listens on a free port for as long as it lives, and answers any number of the questions of a
// port probe from a thread of its own.
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

}  // namespace tandem
