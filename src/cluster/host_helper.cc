#include "cluster/host_helper.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/thread.h"
#include "cluster/port_server.h"
#include "cluster/remote_shell.h"
#include "formats/json.h"

namespace tandem {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

// Every line of a helper begins with it; others are greetings of the host's shell.
constexpr std::string_view kMark = "tandem-helper ";
constexpr std::size_t kMaxOutputBytes = 8 << 20;
constexpr std::int64_t kMaxSeconds = 60;
// What an answer may take beyond the time that the helper itself was given.
constexpr milliseconds kAnswerMargin{400};

constexpr std::pair<PortAnswer, const char*> kAnswerNames[] = {
    {PortAnswer::kExchanged, "exchanged"},
    {PortAnswer::kRefused, "refused"},
    {PortAnswer::kSilent, "silent"},
    {PortAnswer::kFailed, "failed"}};

const char* name_of(PortAnswer answer) {
  return std::ranges::find(kAnswerNames, answer, [](const auto& entry) { return entry.first; })
      ->second;
}

PortAnswer answer_named(const JsonValue& name) {
  for (const auto& [answer, text] : kAnswerNames) {
    if (name.text() == text) return answer;
  }
  name.fail_expecting("an answer of a port");
}

std::vector<std::string> texts_of(const JsonValue& array) {
  std::vector<std::string> texts;
  for (const JsonValue& element : array.elements()) texts.push_back(element.text());
  return texts;
}

Endpoint endpoint_of(const JsonValue& object) {
  return {object.at("address").text(), static_cast<int>(object.at("port").whole_number(1, 65535))};
}

json json_of_endpoint(const Endpoint& endpoint) {
  return {{"address", endpoint.address}, {"port", endpoint.port}};
}

std::string line_of(const json& value) {
  // A path or a message may hold any bytes.
  return value.dump(-1, ' ', true, json::error_handler_t::replace);
}

JsonSource source_of(const std::string& name) {
  return {.name = name, .kind = ExitCode::kMachine, .max_depth = 8};
}

// --- on a host ---------------------------------------------------------------------------------

std::vector<std::string> try_ssh(const std::vector<std::string>& hosts, milliseconds deadline) {
  const std::vector<std::string> nothing = {"true"};
  const auto seconds = std::chrono::floor<std::chrono::seconds>(deadline).count();
  std::vector<ProcessSpec> specs;
  for (const std::string& host : hosts) {
    const int connect_seconds = static_cast<int>(std::max<std::int64_t>(1, seconds - 1));
    specs.push_back({.words = ssh_words(host, connect_seconds, nothing)});
  }
  const std::vector<ProcessResult> results = run_all(specs, deadline);
  std::vector<std::string> problems;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    problems.push_back(results[i].succeeded() ? "" : ssh_failure(hosts[i], results[i]));
  }
  return problems;
}

milliseconds time_of(const JsonValue& question, std::string_view key) {
  return milliseconds(question.at(key).whole_number(1, kMaxSeconds * 1000));
}

json answer_peers(const JsonValue& question, milliseconds deadline) {
  const milliseconds ssh_deadline = time_of(question, "ssh_milliseconds");
  std::vector<Endpoint> endpoints;
  for (const JsonValue& peer : question.at("endpoints").elements()) {
    endpoints.push_back(endpoint_of(peer));
  }
  const std::vector<std::string> names = texts_of(question.at("names"));
  const std::vector<std::string> ssh = texts_of(question.at("ssh"));
  std::vector<std::string> ssh_problems;
  std::vector<NamedAddress> named;
  std::vector<PortReach> reaches;
  {
    const BackgroundThread beside([&] { ssh_problems = try_ssh(ssh, ssh_deadline); });
    reaches = reach_ports(endpoints, deadline);
    named = resolve_names(names, deadline);
  }
  json answer = {{"reaches", json::array()}, {"names", json::array()}, {"ssh", ssh_problems}};
  for (const PortReach& reach : reaches) {
    answer["reaches"].push_back({{"answer", name_of(reach.answer)}, {"error", reach.error}});
  }
  for (const NamedAddress& name : named) {
    answer["names"].push_back(
        {{"name", name.name}, {"address", name.address}, {"problem", name.problem}});
  }
  return answer;
}

json answer_to(const std::string& line) {
  const JsonSource source = source_of("a question to this helper");
  const json parsed = parse_json(line, source);
  const JsonValue question(parsed, source);
  const milliseconds deadline = time_of(question, "milliseconds");
  const auto measured = question.find("measure");
  if (!measured) return answer_peers(question, deadline);
  const std::optional<LinkRate> rate = measure_link(endpoint_of(*measured), deadline);
  if (!rate) return json::object();
  return {{"bits_per_second", rate->bits_per_second},
          {"round_trip_seconds", rate->round_trip_seconds}};
}

// --- where the hosts are examined ---------------------------------------------------------------

std::vector<ProcessSpec> specs_of(const std::vector<HelperPlace>& places, int connect_seconds) {
  std::vector<ProcessSpec> specs;
  for (const HelperPlace& place : places) {
    specs.push_back({.words = place.is_this_host
                                  ? place.words
                                  : ssh_words(place.name, connect_seconds, place.words),
                     .max_output_bytes = kMaxOutputBytes});
  }
  return specs;
}

// Why a helper hasn't opened.
std::string helper_failure(const HelperPlace& place, const ProcessResult& result) {
  const bool by_ssh = !place.is_this_host && !result.succeeded();
  if (by_ssh) return ssh_failure(place.name, result);
  const bool slow = result.end == ProcessResult::End::kTimedOut;
  return fmt::format("{}: its helper {}; `{}` there must print its facts", place.name,
                     slow ? "is too slow" : "says nothing", shell_line(place.words));
}

PeerAnswer peer_answer_of(const Conversations::Line& line, const std::string& host) {
  const JsonSource source = source_of(host + ": its helper");
  const json parsed = parse_json(line.text, source);
  const JsonValue object(parsed, source);
  PeerAnswer answer;
  for (const JsonValue& reach : object.at("reaches").elements()) {
    answer.reaches.push_back({answer_named(reach.at("answer")), reach.at("error").text()});
  }
  for (const JsonValue& name : object.at("names").elements()) {
    answer.names.push_back(
        {name.at("name").text(), name.at("address").text(), name.at("problem").text()});
  }
  answer.ssh = texts_of(object.at("ssh"));
  return answer;
}

HelperOpening opening_of(const Conversations::Line& line, const std::string& host) {
  const JsonSource source = source_of(host + ": its helper");
  const json parsed = parse_json(line.text, source);
  const JsonValue object(parsed, source);
  HelperOpening opening;
  opening.facts = facts_of(object.at("facts").raw(), source.name);
  opening.port = static_cast<int>(object.at("port").whole_number(0, 65535));
  const std::string problem = object.at("problem").text();
  if (!problem.empty()) opening.problem = fmt::format("{}: {}", host, problem);
  const double heard = std::chrono::duration<double>(line.heard.time_since_epoch()).count();
  opening.clock_difference = opening.facts->unix_seconds - heard;
  return opening;
}

}  // namespace

void run_helper(const std::string& address, const std::function<MachineFacts()>& facts,
                std::istream& in, const std::function<void(std::string_view)>& say) {
  std::unique_ptr<PortServer> server;
  std::string problem;
  try {
    server = std::make_unique<PortServer>(address);
  } catch (const MachineError& error) {
    problem = error.what();
  }
  json opening = {
      {"facts", json_of(facts())}, {"port", server ? server->port() : 0}, {"problem", problem}};
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  opening["facts"]["unix_seconds"] = std::chrono::duration<double>(now).count();
  say(std::string(kMark) + line_of(opening));
  for (std::string line; std::getline(in, line);) {
    say(std::string(kMark) + line_of(answer_to(line)));
  }
}

HostHelpers::HostHelpers(std::vector<HelperPlace> places, int connect_seconds)
    : places_(std::move(places)), conversations_(specs_of(places_, connect_seconds)) {}

std::vector<HelperOpening> HostHelpers::open(milliseconds deadline) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < places_.size(); ++i) all.push_back(i);
  const auto lines = conversations_.hear(all, kMark, deadline);
  std::vector<HelperOpening> openings(places_.size());
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (lines[i]) {
      openings[i] = opening_of(*lines[i], places_[i].name);
    } else {
      openings[i].problem = helper_failure(places_[i], conversations_.result(i));
    }
  }
  return openings;
}

std::vector<std::optional<PeerAnswer>> HostHelpers::ask(std::span<const PeerQuestion> questions,
                                                        milliseconds deadline,
                                                        milliseconds ssh_deadline) {
  std::vector<std::size_t> asked;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const PeerQuestion& question = questions[i];
    if (question.endpoints.empty() && question.names.empty() && question.ssh.empty()) continue;
    json endpoints = json::array();
    for (const Endpoint& endpoint : question.endpoints) {
      endpoints.push_back(json_of_endpoint(endpoint));
    }
    conversations_.say(i, line_of({{"endpoints", endpoints},
                                   {"names", question.names},
                                   {"ssh", question.ssh},
                                   {"ssh_milliseconds", ssh_deadline.count()},
                                   {"milliseconds", deadline.count()}}));
    asked.push_back(i);
  }
  const auto lines =
      conversations_.hear(asked, kMark, std::max(deadline, ssh_deadline) + kAnswerMargin);
  std::vector<std::optional<PeerAnswer>> answers(questions.size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (lines[i]) answers[asked[i]] = peer_answer_of(*lines[i], places_[asked[i]].name);
  }
  return answers;
}

std::vector<std::optional<LinkRate>> HostHelpers::measure(std::span<const Pair> pairs,
                                                          milliseconds deadline) {
  std::vector<std::size_t> asked;
  for (const Pair& pair : pairs) {
    conversations_.say(pair.from, line_of({{"measure", json_of_endpoint(pair.to)},
                                           {"milliseconds", deadline.count()}}));
    asked.push_back(pair.from);
  }
  const auto lines = conversations_.hear(asked, kMark, deadline + kAnswerMargin);
  std::vector<std::optional<LinkRate>> rates(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!lines[i]) continue;
    const JsonSource source = source_of(places_[asked[i]].name + ": its helper");
    const json parsed = parse_json(lines[i]->text, source);
    const JsonValue object(parsed, source);
    const auto rate = object.find("bits_per_second");
    if (!rate) continue;
    constexpr double kLargest = 1e15;
    rates[i] =
        LinkRate{rate->number(0, kLargest), object.at("round_trip_seconds").number(0, kLargest)};
  }
  return rates;
}

}  // namespace tandem
