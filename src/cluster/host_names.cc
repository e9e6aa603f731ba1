#include "cluster/host_names.h"

#include <map>

#include <fmt/format.h>

#include "cluster/process.h"
#include "cluster/route.h"

namespace tandem {
namespace {

NamedAddress from_answer(const std::string& name, const ProcessResult& answer) {
  if (const auto address = address_of_ahosts(answer.out)) return {name, *address, ""};
  if (answer.end == ProcessResult::End::kTimedOut) {
    return {name, "",
            fmt::format("{}: no name server answers; add its address to /etc/hosts: `echo 'ADDRESS "
                        "{}' | sudo tee -a /etc/hosts`",
                        name, name)};
  }
  return {name, "",
          fmt::format("{}: there is no host of this name; correct it in the hostfile, or add it to "
                      "/etc/hosts: `echo 'ADDRESS {}' | sudo tee -a /etc/hosts`",
                      name, name)};
}

}  // namespace

std::vector<NamedAddress> resolve_names(std::span<const std::string> names,
                                        std::chrono::milliseconds deadline) {
  std::vector<NamedAddress> resolved(names.size());
  std::vector<ProcessSpec> questions;
  std::vector<std::size_t> asked;
  for (std::size_t i = 0; i < names.size(); ++i) {
    resolved[i] = {names[i], names[i], ""};
    if (is_address(names[i])) continue;
    questions.push_back({.words = {"getent", "ahosts", names[i]}});
    asked.push_back(i);
  }
  const std::vector<ProcessResult> answers = run_all(questions, deadline);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    resolved[asked[i]] = from_answer(names[asked[i]], answers[i]);
  }
  return resolved;
}

std::vector<std::string> loopback_problems(std::span<const NamedAddress> names,
                                           const std::string& hosts_file) {
  std::vector<std::string> problems;
  for (const NamedAddress& name : names) {
    if (!is_loopback(name.address)) continue;
    const auto line = line_of_name(hosts_file, name.name, name.address);
    const std::string where = line ? fmt::format("line {} of /etc/hosts", *line)
                                   : std::string("the hostfile or the name server");
    problems.push_back(
        fmt::format("{}: leads to {}, where every host finds itself; write its address in the "
                    "network in {}",
                    name.name, name.address, where));
  }
  return problems;
}

std::vector<std::string> same_address_problems(std::span<const NamedAddress> names) {
  std::vector<std::string> problems;
  std::map<std::string, std::string> first;
  for (const NamedAddress& name : names) {
    if (name.address.empty()) continue;
    const auto [known, is_new] = first.emplace(name.address, name.name);
    if (is_new) continue;
    problems.push_back(fmt::format(
        "{}: is the same host as {} ({}); leave one name in the hostfile, and use --ppn "
        "for several processes on a host",
        name.name, known->second, name.address));
  }
  return problems;
}

}  // namespace tandem
