#pragma once
// What the hosts of a job have to say before it starts: one question to each, all at once.

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/route.h"

namespace tandem {

struct ProbeQuestion {
  std::string program;             // this program's path here
  std::string daemon;              // daemon_of() the MPI launcher here
  std::vector<std::string> peers;  // addresses to which the ways are asked for
};

struct HostReport {
  std::string program;  // the same path, or where `tandem` is found there; empty when nowhere
  std::string version;  // what it says when asked for --version
  int cores = 0;        // its compute threads when none are asked for; 0 when it doesn't say
  bool has_daemon = false;
  std::string boot_id;  // of its kernel, which hosts on one machine have in common
  std::vector<InterfaceAddress> addresses;            // empty without iproute2
  std::vector<std::pair<std::string, Route>> routes;  // to peers that it has a way to
};

// The command that prints a report on whatever host it runs, for `sh` or for ssh.
std::vector<std::string> probe_words(const ProbeQuestion& question);

// Reads what that command printed on `host`; lines of others (a greeting) may stand between.
HostReport parse_report(std::string_view text, const std::string& host);

struct HostAnswer {
  HostReport report;
  std::string problem;  // why there is no report, and what mends it; empty when there is one
};

// Asks this host.
HostAnswer ask_this_host(const ProbeQuestion& question, std::chrono::milliseconds deadline);

// Asks others over ssh, all at the same time; in the order of `hosts`.
std::vector<HostAnswer> ask_hosts(std::span<const std::string> hosts, const ProbeQuestion& question,
                                  std::chrono::seconds deadline);

}  // namespace tandem
