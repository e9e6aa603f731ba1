#pragma once
// Names, addresses and the interfaces that lead to them, as Linux's own tools tell: `getent
// ahosts` (glibc's getaddrinfo in a process that can be ended when a name server is silent) and
// iproute2's `ip -json`.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

struct InterfaceAddress {
  std::string interface;
  std::string address;  // IPv4 or IPv6, as text
  int prefix_bits = 0;
  friend bool operator==(const InterfaceAddress&, const InterfaceAddress&) = default;
};

// The output of `ip -json address`. Throws MachineError, which begins with `source`, when it is
// something else.
std::vector<InterfaceAddress> parse_addresses(std::string_view json, const std::string& source);

struct Route {
  std::string interface;  // by which packets leave
  std::string address;    // this host's own, which they come from; may be empty
  friend bool operator==(const Route&, const Route&) = default;
};

// The output of `ip -json route get ADDRESS`; throws as above.
Route parse_route(std::string_view json, const std::string& source);

// The network that an address lies in, e.g. "10.0.0.0/24".
std::string network_of(const InterfaceAddress& address);

// Whether it is 127.0.0.0/8 or ::1, where every host only reaches itself.
bool is_loopback(std::string_view address);

bool is_address(std::string_view text);  // IPv4 or IPv6, not a name

// The address to use of those that `getent ahosts NAME` printed: the first of IPv4, else the first.
std::optional<std::string> address_of_ahosts(std::string_view output);

// Where a file like /etc/hosts gives `name` the address: its line's number, from 1.
std::optional<int> line_of_name(std::string_view hosts_file, std::string_view name,
                                std::string_view address);

}  // namespace tandem
