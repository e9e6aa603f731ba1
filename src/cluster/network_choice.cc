#include "cluster/network_choice.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tandem {
namespace {

const Route* route_to(const HostReport& report, const std::string& address) {
  const auto found = std::ranges::find(
      report.routes, address, [](const auto& entry) -> const auto& { return entry.first; });
  return found == report.routes.end() ? nullptr : &found->second;
}

// The address from which packets leave by this route, with its network; of several on one interface
// the route says which.
std::optional<InterfaceAddress> address_of(const HostReport& report, const Route& route) {
  const auto found = std::ranges::find_if(report.addresses, [&](const InterfaceAddress& address) {
    return address.interface == route.interface &&
           (route.address.empty() || address.address == route.address);
  });
  return found == report.addresses.end() ? std::nullopt : std::optional(*found);
}

// `from`'s own addresses on its ways to the others.
std::vector<InterfaceAddress> addresses_to_peers(const NetworkHost& from,
                                                 std::span<const NetworkHost> hosts,
                                                 NetworkChoice& choice) {
  const HostReport& report = *from.report;
  std::vector<InterfaceAddress> addresses;
  if (report.addresses.empty()) return addresses;
  std::map<std::string, std::vector<std::string>> peers_by_interface;
  for (const NetworkHost& to : hosts) {
    if (to.address == from.address) continue;
    const Route* const route = route_to(report, to.address);
    if (route == nullptr) {
      choice.problems.push_back(
          fmt::format("{}: has no way to {} ({}); `ip route get {}` must show "
                      "one there",
                      from.name, to.name, to.address, to.address));
      continue;
    }
    peers_by_interface[route->interface].push_back(to.name);
    if (const auto address = address_of(report, *route)) addresses.push_back(*address);
  }
  if (peers_by_interface.size() < 2) return addresses;
  std::vector<std::string> ways;
  ways.reserve(peers_by_interface.size());
  for (const auto& [interface, names] : peers_by_interface) {
    ways.push_back(fmt::format("{} by {}", fmt::join(names, ", "), interface));
  }
  choice.warnings.push_back(fmt::format("{} reaches its peers by several interfaces: {}", from.name,
                                        fmt::join(ways, "; ")));
  return addresses;
}

}  // namespace

NetworkChoice choose_network(std::span<const NetworkHost> hosts, const HostReport* launching) {
  NetworkChoice choice;
  choice.interfaces.resize(hosts.size());
  std::set<std::string> interfaces, networks, launch_networks;
  bool all_known = true;
  const auto take = [&](const NetworkHost& from, std::set<std::string>& its_networks) {
    if (from.report->addresses.empty()) {
      choice.warnings.push_back(fmt::format(
          "{}: there is no `ip` that tells its interfaces, so that MPI may choose a wrong one; "
          "`sudo apt install iproute2` on it",
          from.name));
    }
    std::string last;
    for (const InterfaceAddress& address : addresses_to_peers(from, hosts, choice)) {
      interfaces.insert(address.interface);
      its_networks.insert(network_of(address));
      last = fmt::format("{} {}", address.interface, address.address);
    }
    all_known = all_known && !last.empty();
    return last;
  };
  if (hosts.size() > 1) {
    for (std::size_t i = 0; i < hosts.size(); ++i) choice.interfaces[i] = take(hosts[i], networks);
  }
  if (launching != nullptr) take({"this host", "", launching}, launch_networks);
  if (!all_known) return choice;
  launch_networks.insert(networks.begin(), networks.end());
  choice.networks = fmt::format("{}", fmt::join(networks, ","));
  choice.launch_networks = fmt::format("{}", fmt::join(launch_networks, ","));
  if (interfaces.size() == 1) choice.interface = *interfaces.begin();
  return choice;
}

}  // namespace tandem
