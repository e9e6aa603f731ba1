#include "cluster/port_check.h"

#include "cluster/findings.h"

namespace tandem {

std::vector<HelperPlace> helper_places(const ReachedHosts& reached, const HelperWords& words) {
  std::vector<HelperPlace> places;
  const auto add = [&](const std::string& name, const std::string& address, bool is_this_host) {
    std::vector<std::string> command = {is_this_host ? words.program_here : words.program_there,
                                        "doctor", "--listen", address};
    command.insert(command.end(), words.options.begin(), words.options.end());
    places.push_back({name, address, is_this_host, std::move(command)});
  };
  for (const JobHost& host : reached.hosts) {
    const bool same = host.report.program == words.program_there &&
                      host.report.version == words.version && host.report.cores > 0;
    if (host.answered && same) add(host.name, host.address, host.is_this_host);
  }
  const auto& routes = reached.this_host.routes;
  const std::string address = routes.empty() ? "" : routes.front().second.address;
  if (!places.empty() && !reached.include_this_host() && !address.empty()) {
    add("this host", address, true);
  }
  return places;
}

PortCheck check_ports(const ReachedHosts& reached, const HelperWords& words,
                      const PortLimits& limits) {
  const std::vector<HelperPlace> places = helper_places(reached, words);
  PortCheck check;
  if (places.size() < 2) return check;
  HostHelpers helpers(places, limits.connect_seconds);
  const std::vector<HelperOpening> openings = helpers.open(limits.open);
  std::vector<PeerQuestion> questions(places.size());
  std::vector<std::vector<std::size_t>> asked(places.size());
  for (std::size_t from = 0; from < places.size(); ++from) {
    if (!openings[from].problem.empty()) check.untried.push_back(openings[from].problem);
    for (std::size_t to = 0; to < places.size(); ++to) {
      if (from == to || openings[from].port == 0 || openings[to].port == 0) continue;
      questions[from].endpoints.push_back({places[to].address, openings[to].port});
      asked[from].push_back(to);
    }
  }
  const auto answers = helpers.ask(questions, limits.peers, limits.peers);
  std::vector<ReachedPort> ports;
  for (std::size_t from = 0; from < places.size(); ++from) {
    if (!answers[from]) continue;
    for (std::size_t i = 0; i < asked[from].size(); ++i) {
      ports.push_back({places[from].name, places[asked[from][i]].name,
                       questions[from].endpoints[i].port, answers[from]->reaches[i]});
    }
  }
  const double waited = std::chrono::duration<double>(limits.peers).count();
  for (const Finding& finding : reach_findings(ports, waited)) {
    check.problems.push_back(finding.text);
  }
  return check;
}

}  // namespace tandem
