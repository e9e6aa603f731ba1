#include "cluster/examination.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "cluster/host_helper.h"
#include "cluster/host_names.h"
#include "cluster/job_hosts.h"
#include "cluster/network_choice.h"
#include "cluster/port_check.h"
#include "cluster/route.h"
#include "cluster/tournament.h"

namespace tandem {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kNamesLimit{2500};
constexpr std::chrono::seconds kSshLimit{5};
constexpr int kConnectSeconds = 3;
constexpr milliseconds kPeersLimit{3000};
constexpr milliseconds kPeerSshLimit{9000};
constexpr milliseconds kMeasureLimit{1000};
constexpr milliseconds kLeastForMeasuring{1400};
constexpr std::size_t kMaxRounds = 3;
// Each host tries so many others by name and ssh, the next ones in the hostfile: a server takes 10
// connections at once that haven't said who they are (sshd_config's MaxStartups).
constexpr std::size_t kMaxSshPeers = 8;

// The examination while it goes on. `members` are those that have a helper: hosts of the job by
// their index, and this host where it takes no part but must be reached by the others' daemons.
class Examiner {
 public:
  Examiner(const std::vector<Host>& hosts, const ExaminationRequest& request)
      : request_(request), end_(Clock::now() + request.limit) {
    for (const Host& host : hosts) examination_.hosts.emplace_back().name = host.name;
  }

  Examination examine() {
    const std::vector<NamedAddress> named = hosts_with_addresses();
    if (!named.empty()) {
      reach(named);
      open_helpers();
      ask_peers();
      measure();
    }
    add_findings_of_machines();
    std::ranges::stable_sort(examination_.findings, {}, &Finding::severity);
    return std::move(examination_);
  }

 private:
  struct Member {
    std::string name, address;
    std::optional<std::size_t> host;  // its index; nothing for this host outside of the job
    HelperOpening opening;
    bool answers = false;
  };

  milliseconds left(milliseconds most) const {
    const auto rest = std::chrono::floor<milliseconds>(end_ - Clock::now());
    return std::clamp(rest, milliseconds(1), most);
  }

  void add(const std::string& problem, Severity severity = Severity::kError) {
    examination_.findings.push_back(finding_of_problem(problem, severity));
  }
  void add(std::optional<Finding> finding) {
    if (finding) examination_.findings.push_back(std::move(*finding));
  }
  void add_all(std::vector<Finding> findings) {
    for (Finding& finding : findings) examination_.findings.push_back(std::move(finding));
  }

  ExaminedHost& host_named(const std::string& name) {
    return *std::ranges::find(examination_.hosts, name, &ExaminedHost::name);
  }

  std::vector<NamedAddress> hosts_with_addresses() {
    std::vector<std::string> names;
    for (const ExaminedHost& host : examination_.hosts) names.push_back(host.name);
    const std::vector<NamedAddress> named = resolve_names(names, kNamesLimit);
    std::vector<std::string> problems = problems_of_names(named);
    for (const std::string& problem : problems) add(problem);
    std::vector<NamedAddress> good;
    for (std::size_t i = 0; i < named.size(); ++i) {
      examination_.hosts[i].address = named[i].address;
      const bool in_trouble = std::ranges::any_of(
          examination_.findings,
          [&](const Finding& finding) { return finding.host == named[i].name; });
      if (!in_trouble) good.push_back(named[i]);
    }
    return good;
  }

  void reach(const std::vector<NamedAddress>& named) {
    const MpiLauncher launcher = request_.launcher.value_or(MpiLauncher{});
    reached_ = reach_addresses(named, request_.program, launcher, kSshLimit);
    for (const std::string& problem : reached_.problems) add(problem);
    std::erase_if(reached_.hosts, [](const JobHost& host) { return !host.answered; });
    if (reached_.hosts.empty()) return;
    std::vector<std::string> problems;
    program_ =
        common_program(reached_, request_.program, request_.version, request_.launcher, problems);
    for (const std::string& problem : problems) add(problem);
    const NetworkChoice network = network_between(reached_);
    for (const std::string& problem : network.problems) add(problem);
    for (const std::string& text : network.warnings) add(text, Severity::kWarning);
    examination_.networks = network.networks;
    for (const JobHost& host : reached_.hosts) describe_interfaces(host);
  }

  void describe_interfaces(const JobHost& host) {
    ExaminedHost& examined = host_named(host.name);
    for (const InterfaceAddress& address : host.report.addresses) {
      if (address.address == host.address) examined.interface = address.interface;
    }
    for (const InterfaceAddress& address : host.report.addresses) {
      const bool of_the_job = address.interface == examined.interface;
      // Every interface has an address of its link alone (fe80::/10) in IPv6.
      if (of_the_job || is_loopback(address.address) || address.address.starts_with("fe80:")) {
        continue;
      }
      examined.unused.push_back(fmt::format("{} {}", address.interface, address.address));
    }
  }

  // Options of the helpers' command.
  std::vector<std::string> helper_options() const {
    std::vector<std::string> options;
    if (request_.output_directory.empty()) return options;
    options.insert(options.end(), {"--output-dir", request_.output_directory});
    if (!request_.token.empty()) options.insert(options.end(), {"--token", request_.token});
    return options;
  }

  void open_helpers() {
    const std::vector<HelperPlace> places =
        helper_places(reached_, {.program_here = request_.program,
                                 .program_there = program_,
                                 .version = request_.version,
                                 .options = helper_options()});
    for (const HelperPlace& place : places) {
      Member& member = members_.emplace_back();
      member.name = place.name;
      member.address = place.address;
      const auto host = std::ranges::find(examination_.hosts, place.name, &ExaminedHost::name);
      if (host != examination_.hosts.end()) {
        member.host = static_cast<std::size_t>(host - examination_.hosts.begin());
      }
    }
    if (places.empty()) return;
    helpers_.emplace(places, kConnectSeconds);
    std::vector<HelperOpening> openings =
        helpers_->open(left(request_.limit) - kPeersLimit - kMeasureLimit);
    for (std::size_t i = 0; i < members_.size(); ++i) {
      Member& member = members_[i];
      member.opening = std::move(openings[i]);
      member.answers = member.opening.port > 0;
      if (!member.opening.problem.empty()) add(member.opening.problem);
      if (!member.host || !member.opening.facts) continue;
      ExaminedHost& host = examination_.hosts[*member.host];
      host.facts = member.opening.facts;
      host.clock_difference = member.opening.clock_difference;
    }
  }

  PeerQuestion question_of(std::size_t asking) const {
    PeerQuestion question;
    if (!members_[asking].answers) return question;
    for (std::size_t step = 1; step < members_.size(); ++step) {
      const Member& peer = members_[(asking + step) % members_.size()];
      if (!peer.answers) continue;
      question.endpoints.push_back({peer.address, peer.opening.port});
      // This host itself has reached all already.
      if (!members_[asking].host || !peer.host || question.ssh.size() >= kMaxSshPeers) continue;
      question.names.push_back(peer.name);
      question.ssh.push_back(peer.name);
    }
    return question;
  }

  void ask_peers() {
    if (!helpers_) return;
    std::vector<PeerQuestion> questions;
    for (std::size_t i = 0; i < members_.size(); ++i) questions.push_back(question_of(i));
    const milliseconds limit = left(kPeersLimit);
    const milliseconds ssh_limit = std::max(limit, left(kPeerSshLimit) - kLeastForMeasuring);
    const auto answers = helpers_->ask(questions, limit, ssh_limit);
    std::vector<ReachedPort> ports;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (!answers[i]) {
        if (members_[i].answers && !questions[i].endpoints.empty()) {
          add(members_[i].name + ": its helper has stopped answering; examine the hosts again");
          members_[i].answers = false;
        }
        continue;
      }
      take_answer(members_[i], questions[i], *answers[i], ports);
    }
    add_all(reach_findings(ports, std::chrono::duration<double>(limit).count()));
    for (const ReachedPort& port : ports) {
      if (port.reach.answer == PortAnswer::kExchanged)
        reached_pairs_.push_back({port.from, port.to});
    }
  }

  void take_answer(const Member& from, const PeerQuestion& question, const PeerAnswer& answer,
                   std::vector<ReachedPort>& ports) {
    for (std::size_t i = 0; i < question.endpoints.size(); ++i) {
      const Endpoint& endpoint = question.endpoints[i];
      const auto to = std::ranges::find_if(members_, [&](const Member& member) {
        return member.answers && member.address == endpoint.address;
      });
      ports.push_back({from.name, to->name, endpoint.port, answer.reaches[i]});
    }
    for (const NamedAddress& seen : answer.names) {
      add(name_finding(from.name, seen, host_named(seen.name).address));
    }
    for (const std::string& problem : answer.ssh) {
      if (problem.empty()) continue;
      add(fmt::format("{}: a job that is started there would fail: {}", from.name, problem),
          Severity::kWarning);
    }
  }

  void measure() {
    if (!helpers_) return;
    for (const auto& round : tournament(members_.size(), kMaxRounds)) {
      if (left(request_.limit) < kLeastForMeasuring) return;
      std::vector<HostHelpers::Pair> pairs;
      std::vector<std::pair<Member*, Member*>> members;
      for (const auto& [from, to] : round) {
        Member *a = &members_[from], *b = &members_[to];
        const bool reached =
            std::ranges::find(reached_pairs_, std::pair(a->name, b->name)) != reached_pairs_.end();
        if (!reached || !a->answers) continue;
        pairs.push_back({from, {b->address, b->opening.port}});
        members.emplace_back(a, b);
      }
      const auto rates = helpers_->measure(pairs, left(kMeasureLimit));
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        if (!rates[i]) {
          members[i].first->answers = false;  // what it still says would answer another question
          continue;
        }
        for (const Member* member : {members[i].first, members[i].second}) {
          if (member->host) take_rate(examination_.hosts[*member->host], *rates[i]);
        }
      }
    }
  }

  static void take_rate(ExaminedHost& host, const LinkRate& rate) {
    host.mbits = std::max(host.mbits, rate.bits_per_second / 1e6);
    host.round_trip_seconds = host.round_trip_seconds > 0
                                  ? std::min(host.round_trip_seconds, rate.round_trip_seconds)
                                  : rate.round_trip_seconds;
  }

  void add_findings_of_machines() {
    std::vector<HostKernels> kernels;
    std::vector<MeasuredHost> measured;
    for (const ExaminedHost& host : examination_.hosts) {
      if (!host.facts) continue;
      add_all(machine_findings(host.name, *host.facts));
      add(clock_finding(host.name, host.clock_difference));
      if (examination_.hosts.size() > 1) add(own_name_finding(host.name, *host.facts));
      add(public_finding(host.name, host.address));
      kernels.push_back({host.name, host.facts->kernels});
      measured.push_back({host.name, host.interface, host.mbits, nominal_mbits(host)});
    }
    add(kernels_finding(kernels));
    add_all(rate_findings(measured));
    const ExaminedHost& first = examination_.hosts.front();
    if (first.facts) add_all(output_findings(first.name, first.facts->output));
  }

  static std::int64_t nominal_mbits(const ExaminedHost& host) {
    for (const auto& [interface, mbits] : host.facts->link_mbits) {
      if (interface == host.interface) return mbits;
    }
    return 0;
  }

  const ExaminationRequest& request_;
  Clock::time_point end_;
  Examination examination_;
  ReachedHosts reached_;
  std::string program_;
  std::vector<Member> members_;
  std::optional<HostHelpers> helpers_;
  std::vector<std::pair<std::string, std::string>> reached_pairs_;
};

}  // namespace

Examination examine_hosts(const std::vector<Host>& hosts, const ExaminationRequest& request) {
  return Examiner(hosts, request).examine();
}

}  // namespace tandem
