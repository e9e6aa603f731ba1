#include "cluster/remote_shell.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "base/printable.h"

namespace tandem {
namespace {

constexpr int kSshFailed = 255;

bool means_itself(char c) {
  constexpr std::string_view kOthers = "_-./:,+@%=";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         kOthers.find(c) != kOthers.npos;
}

// The last line that isn't blank, without the carriage return that ssh ends it with.
std::string last_line(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t end = text.find_last_not_of(kBlank);
  if (end == text.npos) return "";
  text = text.substr(0, end + 1);
  const std::size_t start = text.rfind('\n');
  return std::string(start == text.npos ? text : text.substr(start + 1));
}

// What ssh says, in the order in which it is looked for, and what that means. {0} is the host.
struct KnownFault {
  std::string_view said;
  fmt::format_string<const std::string&> meaning;
};

const KnownFault kKnownFaults[] = {
    {"REMOTE HOST IDENTIFICATION HAS CHANGED",
     "its host key is another than before, so another machine may be in its place; if you know "
     "why, "
     "`ssh-keygen -R {0}`, then `ssh {0} true` and compare the fingerprint"},
    {"Host key verification failed",
     "its host key is not known here; `ssh {0} true` shows its fingerprint to compare, and keeps "
     "it"},
    {"Permission denied", "no key of yours is accepted there; `ssh-copy-id {0}` installs one"},
    {"Connection refused",
     "nothing answers at its ssh port; `sudo systemctl start ssh` on {0} starts the server"},
    {"timed out", "it doesn't answer; check that it is up and no firewall drops ssh: `ssh -v {0}`"},
    {"No route to host", "no way leads to it; check that it is up and its address: `ping {0}`"},
    {"Network is unreachable", "no way leads to it; check this host's network: `ip route`"},
    {"Could not resolve hostname",
     "ssh doesn't know the name; add it to /etc/hosts: `getent hosts {0}` must show it"},
    {"Connection closed by", "its ssh server hung up; `journalctl -u ssh` on {0} says why"},
    {"Connection reset by", "its ssh server hung up; `journalctl -u ssh` on {0} says why"},
};

}  // namespace

std::string quoted_for_shell(std::string_view word) {
  // zsh takes a leading = for the path of a command.
  if (!word.empty() && word.front() != '=' && std::ranges::all_of(word, means_itself)) {
    return std::string(word);
  }
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string shell_line(std::span<const std::string> words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    line += quoted_for_shell(word);
  }
  return line;
}

std::vector<std::string> ssh_words(const std::string& host, int connect_seconds,
                                   std::span<const std::string> command) {
  TANDEM_CHECK(!host.empty() && host.front() != '-', "{} is no host name", host);
  return {"ssh", "-o", "BatchMode=yes",    "-o", fmt::format("ConnectTimeout={}", connect_seconds),
          host,  "--", shell_line(command)};
}

std::string ssh_failure(const std::string& host, const ProcessResult& result) {
  using End = ProcessResult::End;
  if (result.end == End::kNotStarted) {
    return fmt::format("{}: ssh cannot be started here: {}; `sudo apt install openssh-client`",
                       host, errno_text(result.code));
  }
  if (result.end == End::kTimedOut) {
    return fmt::format("{}: ssh: no answer in time; `ssh -v {} true` shows where it stands still",
                       host, host);
  }
  const std::string said = printable(last_line(result.err), 200);
  if (result.end == End::kExited && result.code == kSshFailed) {
    for (const KnownFault& fault : kKnownFaults) {
      if (result.err.find(fault.said) == std::string::npos) continue;
      return fmt::format("{}: ssh: {} (ssh says: {})", host, fmt::format(fault.meaning, host),
                         said);
    }
    return fmt::format("{}: ssh: {}; `ssh -v {} true` says more", host,
                       said.empty() ? "failed without a word" : said, host);
  }
  const char* const how = result.end == End::kExited ? "exit code" : "signal";
  return fmt::format("{}: its shell fails with {} {}{}{}; `ssh {} true` must end with 0", host, how,
                     result.code, said.empty() ? "" : ": ", said, host);
}

}  // namespace tandem
