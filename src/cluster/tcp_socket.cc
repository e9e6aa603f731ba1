#include "cluster/tcp_socket.h"

#include <cerrno>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include "base/error.h"

namespace tandem {

SocketAddress::SocketAddress(const Endpoint& endpoint) {
  auto& v4 = reinterpret_cast<sockaddr_in&>(storage);
  auto& v6 = reinterpret_cast<sockaddr_in6&>(storage);
  const auto port = htons(static_cast<std::uint16_t>(endpoint.port));
  if (inet_pton(AF_INET, endpoint.address.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = port;
    size = sizeof v4;
  } else if (inet_pton(AF_INET6, endpoint.address.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = port;
    size = sizeof v6;
  } else {
    throw MachineError("{}: no address", endpoint.address);
  }
}

int SocketAddress::port() const {
  // It lies at the same place for both families.
  return ntohs(reinterpret_cast<const sockaddr_in*>(get())->sin_port);
}

FileDescriptor socket_for(const SocketAddress& address) {
  FileDescriptor descriptor(
      socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (descriptor.get() < 0) throw MachineError("no socket can be had: {}", errno_text(errno));
  send_at_once(descriptor);
  return descriptor;
}

void send_at_once(const FileDescriptor& socket) {
  const int on = 1;
  setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace tandem
