#pragma once
// A helper on each host of a job, for as long as the hosts are examined: it tells what its host is
// like and, when asked, tries the ways to the others. The two sides talk by lines of JSON over
// ssh's standard input and output.

#include <chrono>
#include <functional>
#include <istream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/host_names.h"
#include "cluster/machine_facts.h"
#include "cluster/port_probe.h"
#include "cluster/process.h"

namespace tandem {

// --- on a host ---------------------------------------------------------------------------------

// Listens on `address`, says what `facts` gives, and answers questions from `in` until it ends;
// `say` writes a line and flushes it.
void run_helper(const std::string& address, const std::function<MachineFacts()>& facts,
                std::istream& in, const std::function<void(std::string_view)>& say);

// --- where the hosts are examined ---------------------------------------------------------------

struct HelperPlace {
  std::string name;
  std::string address;             // which the others are to reach
  bool is_this_host = false;       // needs no ssh
  std::vector<std::string> words;  // the command that becomes run_helper there
};

struct HelperOpening {
  std::optional<MachineFacts> facts;
  int port = 0;
  double clock_difference = 0;  // seconds that its clock is ahead of ours, the way included
  std::string problem;          // why there are no facts, or no port
};

struct PeerQuestion {
  std::vector<Endpoint> endpoints;
  std::vector<std::string> names;  // to be resolved and, but for its own, tried by ssh
  std::vector<std::string> ssh;
};

struct PeerAnswer {
  std::vector<PortReach> reaches;   // of each endpoint
  std::vector<NamedAddress> names;  // of each name
  std::vector<std::string> ssh;     // what was wrong with each, or empty
};

class HostHelpers {
 public:
  // Starts all, each giving up its connection after `connect_seconds`.
  HostHelpers(std::vector<HelperPlace> places, int connect_seconds);

  // In the order of the places.
  std::vector<HelperOpening> open(std::chrono::milliseconds deadline);

  // Asks all at once; a question without endpoints, names and ssh isn't asked. A host that doesn't
  // answer has no answer. Ports and names are tried for `deadline`, ssh for `ssh_deadline`, since
  // many at once take a busy machine some time.
  std::vector<std::optional<PeerAnswer>> ask(std::span<const PeerQuestion> questions,
                                             std::chrono::milliseconds deadline,
                                             std::chrono::milliseconds ssh_deadline);

  struct Pair {
    std::size_t from = 0;
    Endpoint to;
  };
  // Measures all ways at once; no host should be in two pairs.
  std::vector<std::optional<LinkRate>> measure(std::span<const Pair> pairs,
                                               std::chrono::milliseconds deadline);

 private:
  std::vector<HelperPlace> places_;
  Conversations conversations_;
};

}  // namespace tandem
