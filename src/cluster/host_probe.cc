#include "cluster/host_probe.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "cluster/process.h"
#include "cluster/remote_shell.h"

namespace tandem {
namespace {

// Every line of a report begins with it.
constexpr std::string_view kMark = "tandem-probe ";

// POSIX sh. $1 the program, $2 the daemon, then peers. A user's PATH may lack ip's directory.
constexpr const char* kScript = R"sh(PATH=$PATH:/usr/sbin:/sbin
say() { printf 'tandem-probe %s %s\n' "$1" "$2"; }
program=$1
daemon=$2
shift 2
[ -x "$program" ] || program=$(command -v tandem)
say program "$program"
if [ -n "$program" ]; then
  say version "$("$program" --version 2>&1 | head -n 1)"
  say cores "$("$program" bench cores 2>/dev/null | head -n 1)"
fi
if [ -x "$daemon" ]; then say daemon "$daemon"; fi
say boot "$(cat /proc/sys/kernel/random/boot_id 2>/dev/null)"
say addresses "$(ip -json address 2>/dev/null | tr -d '\n')"
for peer in "$@"; do
  say "route:$peer" "$(ip -json route get "$peer" 2>/dev/null | tr -d '\n')"
done
)sh";

// Hosts with a thousand containers have that many interfaces.
constexpr std::size_t kMaxReportBytes = 4 << 20;

// ssh gives up before the deadline, to say itself what it waited for.
constexpr std::chrono::seconds kConnectMargin{2};

ProcessSpec spec_of(std::vector<std::string> words) {
  return {.words = std::move(words), .max_output_bytes = kMaxReportBytes};
}

HostAnswer answer_of(const ProcessResult& result, const std::string& host) {
  if (!result.succeeded()) return {.report = {}, .problem = ssh_failure(host, result)};
  return {.report = parse_report(result.out, host), .problem = ""};
}

void read_entry(HostReport& report, std::string_view key, std::string_view value,
                const std::string& host) {
  constexpr std::string_view kRoute = "route:";
  if (key == "program") report.program = value;
  if (key == "version") report.version = value;
  if (key == "cores") std::from_chars(value.data(), value.data() + value.size(), report.cores);
  if (key == "daemon") report.has_daemon = true;
  if (key == "boot") report.boot_id = value;
  if (value.empty()) return;
  if (key == "addresses") report.addresses = parse_addresses(value, host + ": `ip -json address`");
  if (key.starts_with(kRoute)) {
    const std::string peer(key.substr(kRoute.size()));
    const std::string command = fmt::format("{}: `ip -json route get {}`", host, peer);
    report.routes.emplace_back(peer, parse_route(value, command));
  }
}

}  // namespace

std::vector<std::string> probe_words(const ProbeQuestion& question) {
  std::vector<std::string> words = {"sh", "-c", kScript, "sh", question.program, question.daemon};
  words.insert(words.end(), question.peers.begin(), question.peers.end());
  return words;
}

HostReport parse_report(std::string_view text, const std::string& host) {
  HostReport report;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.starts_with(kMark)) continue;
    line.remove_prefix(kMark.size());
    const std::size_t space = std::min(line.find(' '), line.size());
    read_entry(report, line.substr(0, space), line.substr(std::min(space + 1, line.size())), host);
  }
  return report;
}

HostAnswer ask_this_host(const ProbeQuestion& question, std::chrono::milliseconds deadline) {
  const ProcessResult result = run_one(spec_of(probe_words(question)), deadline);
  if (!result.succeeded()) return {.report = {}, .problem = "this host's own shell fails"};
  return answer_of(result, "this host");
}

std::vector<HostAnswer> ask_hosts(std::span<const std::string> hosts, const ProbeQuestion& question,
                                  std::chrono::seconds deadline) {
  const int connect_seconds =
      static_cast<int>(std::max(std::chrono::seconds(1), deadline - kConnectMargin).count());
  const std::vector<std::string> command = probe_words(question);
  std::vector<ProcessSpec> specs;
  for (const std::string& host : hosts) {
    specs.push_back(spec_of(ssh_words(host, connect_seconds, command)));
  }
  const std::vector<ProcessResult> results = run_all(specs, deadline);
  std::vector<HostAnswer> answers;
  for (std::size_t i = 0; i < hosts.size(); ++i) answers.push_back(answer_of(results[i], hosts[i]));
  return answers;
}

}  // namespace tandem
