#include "train/speed_report.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "comm/collectives.h"
#include "formats/json.h"

namespace tandem {
namespace {

using nlohmann::json;

// Each number of a step with its name in the file.
constexpr std::pair<const char*, double StepTimes::*> kFields[] = {
    {"step_seconds", &StepTimes::whole},
    {"input_seconds", &StepTimes::input},
    {"compute_seconds", &StepTimes::compute},
    {"exposed_seconds", &StepTimes::exposed},
    {"optimizer_seconds", &StepTimes::optimizer},
    {"until_ready_seconds", &StepTimes::until_ready},
    {"communication_cpu_seconds", &StepTimes::communication_cpu},
    {"bytes_sent", &StepTimes::bytes_sent}};

json rank_json(std::size_t rank, const RankSpeed& speed) {
  json object = {{"rank", rank},
                 {"host", speed.host},
                 {"threads", speed.threads},
                 {"waiting_seconds", speed.waiting}};
  for (const auto& [name, field] : kFields) object[name] = speed.times.*field;
  return object;
}

double at_least_zero(const JsonValue& value) {
  return value.number(0, std::numeric_limits<double>::max());
}

RankSpeed read_rank(const JsonValue& value) {
  RankSpeed speed{.host = value.at("host").text(),
                  .threads = value.at("threads").whole_number(0, 1 << 20),
                  .times = {},
                  .waiting = at_least_zero(value.at("waiting_seconds"))};
  for (const auto& [name, field] : kFields) speed.times.*field = at_least_zero(value.at(name));
  return speed;
}

// Every rank's steps.
std::vector<std::vector<StepTimes>> gather_steps(Communicator& communicator,
                                                 std::span<const StepTimes> mine) {
  const auto ranks = static_cast<std::size_t>(communicator.size());
  std::vector<StepTimes> all(ranks * mine.size());
  const std::vector<std::int64_t> sizes(ranks, static_cast<std::int64_t>(mine.size_bytes()));
  const Pending pending = communicator.start_all_gather(
      std::as_bytes(mine), std::as_writable_bytes(std::span(all)), sizes);
  wait_for(*pending, "the times of the steps");
  std::vector<std::vector<StepTimes>> of_ranks;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(rank * mine.size());
    of_ranks.emplace_back(first, first + std::ssize(mine));
  }
  return of_ranks;
}

}  // namespace

double SpeedReport::seconds_per_step() const {
  return ranks.empty() ? 0 : ranks.front().times.whole;
}

double SpeedReport::samples_per_second() const {
  const double seconds = seconds_per_step() * static_cast<double>(steps);
  return seconds > 0 ? static_cast<double>(examples) / seconds : 0;
}

std::vector<RankSpeed> mean_speeds(std::span<const std::vector<StepTimes>> steps_of_ranks) {
  std::vector<RankSpeed> speeds(steps_of_ranks.size());
  if (speeds.empty() || steps_of_ranks.front().empty()) return speeds;
  const std::size_t steps = steps_of_ranks.front().size();
  const double share = 1 / static_cast<double>(steps);
  for (std::size_t step = 0; step < steps; ++step) {
    double slowest = 0;
    for (const std::vector<StepTimes>& rank : steps_of_ranks) {
      TANDEM_CHECK(rank.size() == steps, "{} steps on one rank, {} on another", rank.size(), steps);
      slowest = std::max(slowest, rank[step].until_ready);
    }
    for (std::size_t rank = 0; rank < speeds.size(); ++rank) {
      const StepTimes& times = steps_of_ranks[rank][step];
      for (const auto& [name, field] : kFields) speeds[rank].times.*field += share * times.*field;
      speeds[rank].waiting += share * std::min(slowest - times.until_ready, times.exposed);
    }
  }
  return speeds;
}

std::vector<RankSpeed> gather_speeds(Communicator* communicator, const SpeedRecord& record,
                                     const std::string& host, int threads) {
  if (communicator == nullptr) {
    const std::vector<StepTimes> mine(record.steps().begin(), record.steps().end());
    std::vector<RankSpeed> speeds = mean_speeds(std::span(&mine, 1));
    speeds.front().host = host;
    speeds.front().threads = threads;
    return speeds;
  }
  std::vector<RankSpeed> speeds = mean_speeds(gather_steps(*communicator, record.steps()));
  const auto hosts = all_gather_texts(*communicator, host, "host names");
  const auto all_threads = all_gather_values(*communicator, threads, "numbers of threads");
  for (std::size_t rank = 0; rank < speeds.size(); ++rank) {
    speeds[rank].host = hosts[rank];
    speeds[rank].threads = all_threads[rank];
  }
  return speeds;
}

std::string speed_report_json(const SpeedReport& report) {
  json ranks = json::array();
  for (const RankSpeed& speed : report.ranks) ranks.push_back(rank_json(ranks.size(), speed));
  // Pairs, to keep their order: the first is the task's main metric.
  json evaluation = json::array();
  for (const auto& [name, value] : report.evaluation) {
    evaluation.push_back({{"name", name}, {"value", value}});
  }
  const json object = {{"steps", report.steps},
                       {"examples", report.examples},
                       {"tokens", report.tokens},
                       {"batch_size", report.batch_size},
                       {"seconds_per_step", report.seconds_per_step()},
                       {"samples_per_second", report.samples_per_second()},
                       {"train_loss", report.train_loss},
                       {"evaluation", evaluation},
                       {"ranks", ranks}};
  return object.dump(2, ' ', true, json::error_handler_t::replace) + "\n";
}

SpeedReport parse_speed_report(std::string_view text, const std::string& source) {
  const JsonSource origin{.name = source, .kind = ExitCode::kMachine};
  const json parsed = parse_json(text, origin);
  const JsonValue value(parsed, origin);
  constexpr std::int64_t kMost = std::int64_t{1} << 53;
  SpeedReport report{.ranks = {},
                     .steps = value.at("steps").whole_number(0, kMost),
                     .examples = value.at("examples").whole_number(0, kMost),
                     .tokens = value.at("tokens").whole_number(0, kMost),
                     .batch_size = value.at("batch_size").whole_number(0, kMost),
                     .train_loss = std::numeric_limits<double>::quiet_NaN(),
                     .evaluation = {}};
  constexpr double kLargest = std::numeric_limits<double>::max();
  if (const auto loss = value.find("train_loss")) {
    report.train_loss = loss->number(-kLargest, kLargest);
  }
  for (const JsonValue& result : value.at("evaluation").elements()) {
    if (const auto number = result.find("value")) {
      report.evaluation.emplace_back(result.at("name").text(), number->number(-kLargest, kLargest));
    }
  }
  for (const JsonValue& rank : value.at("ranks").elements())
    report.ranks.push_back(read_rank(rank));
  if (report.ranks.empty()) value.at("ranks").fail("names no rank");
  return report;
}

}  // namespace tandem
