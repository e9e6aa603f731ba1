#include "cluster/hostfile.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "base/error.h"
#include "base/file.h"
#include "base/printable.h"

namespace tandem {
namespace {

constexpr std::int64_t kMaxFileBytes = 1 << 20;
constexpr int kMaxSlots = 65536;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool may_be_in_a_name(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' ||
         c == '-' || c == ':';
}

// One line, read from left to right.
class Line {
 public:
  Line(std::string_view text, int number, const std::string& path)
      : text_(text.substr(0, text.find('#'))), number_(number), path_(path) {}

  std::optional<Host> host() {
    skip_spaces();
    if (at_end()) return std::nullopt;
    Host host = name_and_count();
    for (skip_spaces(); !at_end(); skip_spaces()) setting(host);
    return host;
  }

 private:
  bool at_end() const { return at_ == text_.size(); }
  void skip_spaces() {
    while (!at_end() && is_space(text_[at_])) ++at_;
  }

  // Up to a space or '='.
  std::string_view word() {
    const std::size_t start = at_;
    while (!at_end() && !is_space(text_[at_]) && text_[at_] != '=') ++at_;
    return text_.substr(start, at_ - start);
  }

  [[noreturn]] void fail(std::size_t at, std::string_view expected) const {
    const std::string_view rest = text_.substr(at);
    const auto end = std::ranges::find_if(rest, is_space);
    const std::string found = end == rest.begin() ? "nothing" : in_quotes({rest.begin(), end});
    throw UsageError("{}:{}:{}: expected {}, found {}", path_, number_, at + 1, expected, found);
  }

  Host name_and_count() {
    const std::size_t start = at_;
    const std::string_view text = word();
    if (text.empty() || text.front() == '-' || text.front() == ':') fail(start, "a host name");
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '@') {
        fail(start + i, "a host name alone (a user's name belongs in ~/.ssh/config)");
      }
      if (!may_be_in_a_name(text[i])) {
        fail(start + i, "a host name of letters, digits and ._-:");
      }
    }
    const std::size_t colon = text.find(':');
    Host host{.name = std::string(text), .slots = {}, .max_slots = {}, .line = number_};
    // Two or more are an IPv6 address.
    if (colon == text.npos || text.find(':', colon + 1) != text.npos) return host;
    host.name = text.substr(0, colon);
    host.slots = count(start + colon + 1, text.substr(colon + 1));
    return host;
  }

  void setting(Host& host) {
    const std::size_t start = at_;
    const std::string_view key = word();
    skip_spaces();
    const bool is_max = key == "max_slots" || key == "max-slots";
    if (!is_max && key != "slots") fail(start, "slots=N, max_slots=N or the end of the line");
    if (at_end() || text_[at_] != '=') fail(at_, "= and a number");
    ++at_;
    skip_spaces();
    const std::size_t number_start = at_;
    const int number = count(number_start, word());
    std::optional<int>& target = is_max ? host.max_slots : host.slots;
    if (target) fail(start, "each number once");
    target = number;
    if (host.slots && host.max_slots && *host.max_slots < *host.slots) {
      fail(number_start, "no more slots than max_slots");
    }
  }

  int count(std::size_t at, std::string_view digits) const {
    int number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const bool whole = end == digits.data() + digits.size() && error == std::errc();
    if (!whole || digits.empty() || number < 1 || number > kMaxSlots) {
      fail(at, fmt::format("a number of slots from 1 to {}", kMaxSlots));
    }
    return number;
  }

  std::string_view text_;
  int number_;
  const std::string& path_;
  std::size_t at_ = 0;
};

void add_host(std::vector<Host>& hosts, const Host& host, const std::string& path) {
  const auto known = std::ranges::find(hosts, host.name, &Host::name);
  if (known != hosts.end()) {
    known->slots = known->slots.value_or(1) + host.slots.value_or(1);
    if (host.max_slots) known->max_slots = host.max_slots;
    return;
  }
  if (hosts.size() == kMaxHosts) {
    throw UsageError("{}:{}: expected at most {} hosts, found another", path, host.line, kMaxHosts);
  }
  hosts.push_back(host);
}

}  // namespace

std::vector<Host> parse_hostfile(std::string_view text, const std::string& path) {
  std::vector<Host> hosts;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const auto host = Line(text.substr(0, end), number, path).host();
    if (host) add_host(hosts, *host, path);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (hosts.empty()) {
    throw UsageError("{}: there is no host in it; write a line for each, as `h1 slots=1`", path);
  }
  return hosts;
}

std::vector<Host> read_hostfile(const std::filesystem::path& path) {
  return parse_hostfile(read_file(path, ExitCode::kUsage, kMaxFileBytes), path.string());
}

}  // namespace tandem
