#include "cli/scale_plan.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/printable.h"
#include "data/number.h"

namespace tandem {
namespace {

using Words = std::vector<std::string>;

// The words without such an option and its value, "--name value" or "--name=value".
Words without(const Words& words, std::initializer_list<std::string_view> names) {
  Words rest;
  for (std::size_t i = 0; i < words.size(); ++i) {
    bool is_option = false;
    for (const std::string_view name : names) {
      is_option = is_option || words[i] == name || words[i].starts_with(std::string(name) + "=");
    }
    if (!is_option) {
      rest.push_back(words[i]);
    } else if (words[i].find('=') == std::string::npos) {
      ++i;
    }
  }
  return rest;
}

Words with(Words words, std::initializer_list<std::string> more) {
  words.insert(words.end(), more);
  return words;
}

std::int64_t grown(std::int64_t batch_size, int first_nodes, int nodes) {
  if (batch_size * nodes % first_nodes != 0) {
    throw UsageError(
        "--keep-per-device-batch: {} examples on {} hosts are no whole number of them on {}; "
        "change --global-batch-size",
        batch_size, first_nodes, nodes);
  }
  return batch_size * nodes / first_nodes;
}

}  // namespace

std::vector<int> parse_nodes(const std::string& text) {
  std::vector<int> nodes;
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string part(rest.substr(0, comma));
    const std::optional<std::int64_t> number = parse_whole_number(part);
    if (!number || *number < 1 || *number > static_cast<std::int64_t>(kMaxHosts)) {
      throw UsageError("--nodes {}: expected numbers of hosts from 1 to {}, as in 1,2,4, found {}",
                       printable(text), kMaxHosts, in_quotes(part));
    }
    nodes.push_back(static_cast<int>(*number));
    if (nodes.size() > 1 && nodes.back() <= nodes[nodes.size() - 2]) {
      throw UsageError("--nodes {}: {} comes after {}; each number must be greater than the last",
                       printable(text), nodes.back(), nodes[nodes.size() - 2]);
    }
    if (comma == rest.size()) return nodes;
    rest.remove_prefix(comma + 1);
  }
}

std::vector<ScaleRun> plan_runs(const ScaleFlags& flags) {
  constexpr const char* kBegin = "tandem scale --hostfile HOSTS --nodes 1,2";
  if (flags.launch.command.empty()) read_train_command({}, kBegin);
  const std::filesystem::path output = std::filesystem::absolute(flags.output);
  // What every run is given anew.
  Words words = without(flags.launch.command, {"--output-dir", "--output", "--speed-report"});
  const TrainFlags train =
      read_train_command(with(words, {"--output-dir", output.string()}), kBegin);
  if (!train.do_train && (train.data.train_file.empty() && train.data.task_name.empty())) {
    throw UsageError("tandem scale measures training: give --train-file or --task-name");
  }
  words = without(words, {"--global-batch-size"});
  const bool limited = flags.steps > 0 && (flags.steps_are_said || train.trainer.max_steps <= 0);
  if (limited) {
    words = with(without(words, {"--max-steps"}), {"--max-steps", fmt::format("{}", flags.steps)});
  }
  const std::vector<int> nodes = parse_nodes(flags.nodes);
  // Of the first run, which the others keep or let grow with the hosts.
  const std::int64_t first =
      train.trainer.examples_of_update(std::int64_t{nodes.front()} * flags.launch.ranks_per_host);
  std::vector<ScaleRun> runs;
  for (const int count : nodes) {
    const std::int64_t batch =
        flags.keep_per_device_batch ? grown(first, nodes.front(), count) : first;
    const std::int64_t of_host = std::max<std::int64_t>(1, (batch + count / 2) / count);
    ScaleRun run{.nodes = count,
                 .batch_size = batch,
                 .directory = output / fmt::format("nodes-{}", count),
                 .command = with(words, {"--global-batch-size", fmt::format("{}", batch)}),
                 .copy_command = with(words, {"--global-batch-size", fmt::format("{}", of_host)})};
    run.command = with(run.command, {"--output-dir", (run.directory / "model").string(),
                                     "--speed-report", run.report().string()});
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace tandem
