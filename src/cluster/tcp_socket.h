#pragma once
// TCP sockets that never block, and what a connection between a port probe and a port server says.

#include <string>

#include <sys/socket.h>

#include "base/file.h"

namespace tandem {

struct Endpoint {
  std::string address;  // IPv4 or IPv6, as text
  int port = 0;
};

// The first byte says what the connection is for: bytes that come back, or a flood that is counted
// for a while and answered with "<bytes> <nanoseconds>\n".
inline constexpr char kEcho = 'e';
inline constexpr char kFlood = 'f';

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  // Throws MachineError for what is no address.
  explicit SocketAddress(const Endpoint& endpoint);
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  int port() const;
};

// Of the address's family; small messages are sent at once. Throws MachineError when there is none.
FileDescriptor socket_for(const SocketAddress& address);
void send_at_once(const FileDescriptor& socket);

}  // namespace tandem
