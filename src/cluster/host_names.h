#pragma once
// The addresses behind the names of a job's hosts.

#include <chrono>
#include <span>
#include <string>
#include <vector>

namespace tandem {

struct NamedAddress {
  std::string name;
  std::string address;
  std::string problem;  // why there is no address, and what mends it; empty when there is one
};

// All names at once, by `getent ahosts`. Those not answered within `deadline` have none.
std::vector<NamedAddress> resolve_names(std::span<const std::string> names,
                                        std::chrono::milliseconds deadline);

// For a job of several hosts: says of each name that leads to the loopback, where other hosts find
// only themselves, which line of `hosts_file` (the text of /etc/hosts) is to be changed.
std::vector<std::string> loopback_problems(std::span<const NamedAddress> names,
                                           const std::string& hosts_file);

// The same for two names of one address, which would be two hosts in one place.
std::vector<std::string> same_address_problems(std::span<const NamedAddress> names);

}  // namespace tandem
