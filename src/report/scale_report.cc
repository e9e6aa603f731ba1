#include "report/scale_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/step_parts.h"

namespace tandem {
namespace {

using nlohmann::json;

double quotient(double a, double b) { return b > 0 ? a / b : 0; }

// Mean over the ranks of a part of their step.
template <class Part>
double mean_share(const std::vector<RankSpeed>& ranks, const Part& part) {
  double sum = 0;
  for (const RankSpeed& rank : ranks) sum += quotient(part(rank), rank.times.whole);
  return quotient(sum, static_cast<double>(ranks.size()));
}

std::string percent(double share) { return fmt::format("{:.1f}", 100 * share); }

json rank_json(const RankSpeed& rank) {
  json parts = json::object();
  for (const StepPart& part : parts_of(rank)) parts[part.name] = part.seconds;
  return {{"host", rank.host},
          {"threads", rank.threads},
          {"step_seconds", rank.times.whole},
          {"parts_seconds", parts},
          {"communication_cpu_seconds", rank.times.communication_cpu},
          {"bytes_sent", rank.times.bytes_sent}};
}

json row_json(const ScaleReport& report, const ScaleRow& row) {
  const ScaleFigures figures = figures_of(report, row);
  json ranks = json::array();
  for (const RankSpeed& rank : row.cluster.ranks) ranks.push_back(rank_json(rank));
  json copies = json::array();
  for (const SpeedReport& copy : row.copies) copies.push_back(copy.samples_per_second());
  json evaluation = json::object();
  for (const auto& [name, value] : row.cluster.evaluation) evaluation[name] = value;
  json object = {{"nodes", row.nodes},
                 {"batch_size", row.cluster.batch_size},
                 {"steps", row.cluster.steps},
                 {"tokens", row.cluster.tokens},
                 {"seconds_per_step", figures.seconds_per_step},
                 {"samples_per_second", figures.samples_per_second},
                 {"speed_up", figures.speed_up},
                 {"ideal_speed_up", figures.ideal},
                 {"efficiency", figures.efficiency},
                 {"speed_up_over_copies", nullptr},
                 {"copies_samples_per_second", copies},
                 {"exposed_share", figures.exposed},
                 {"waiting_share", figures.waiting},
                 {"optimizer_share", figures.optimizer},
                 {"input_share", figures.input},
                 {"communication_cpu_share", figures.communication_cpu},
                 {"megabits_per_second", figures.megabits_per_second},
                 {"train_loss", row.cluster.train_loss},
                 {"evaluation", evaluation},
                 {"ranks", ranks}};
  if (figures.speed_up_over_copies) object["speed_up_over_copies"] = *figures.speed_up_over_copies;
  return object;
}

// Columns as wide as they must be, all to the right.
std::string aligned(const std::vector<std::vector<std::string>>& lines) {
  std::vector<std::size_t> widths(lines.front().size(), 0);
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text;
  for (const auto& line : lines) {
    std::string row;
    for (std::size_t i = 0; i < line.size(); ++i) {
      row += fmt::format("{}{:>{}}", i > 0 ? "  " : "", line[i], widths[i]);
    }
    text += row + "\n";
  }
  return text;
}

}  // namespace

ScaleFigures figures_of(const ScaleReport& report, const ScaleRow& row) {
  const ScaleRow& first = report.rows.front();
  const SpeedReport& cluster = row.cluster;
  ScaleFigures figures;
  figures.seconds_per_step = cluster.seconds_per_step();
  figures.samples_per_second = cluster.samples_per_second();
  figures.speed_up = quotient(figures.samples_per_second, first.cluster.samples_per_second());
  figures.ideal = quotient(row.nodes, first.nodes);
  figures.efficiency = quotient(figures.speed_up, figures.ideal);
  double of_copies = 0;
  for (const SpeedReport& copy : row.copies) of_copies += copy.samples_per_second();
  if (of_copies > 0) {
    figures.speed_up_over_copies = row.nodes * figures.samples_per_second / of_copies;
  }
  const auto share = [&](double StepTimes::*field) {
    return mean_share(cluster.ranks, [&](const RankSpeed& rank) { return rank.times.*field; });
  };
  figures.exposed = share(&StepTimes::exposed);
  figures.input = share(&StepTimes::input);
  figures.optimizer = share(&StepTimes::optimizer);
  figures.communication_cpu = share(&StepTimes::communication_cpu);
  figures.waiting = mean_share(cluster.ranks, [](const RankSpeed& rank) { return rank.waiting; });
  constexpr double kBitsOfMegabyte = 8e-6;
  figures.megabits_per_second =
      share(&StepTimes::bytes_sent) * report.ranks_per_host * kBitsOfMegabyte;
  const auto metric = std::ranges::find_if(
      cluster.evaluation, [](const auto& result) { return std::isfinite(result.second); });
  if (metric != cluster.evaluation.end()) figures.metric = *metric;
  return figures;
}

std::vector<std::string> remarks_of(const ScaleReport& report) {
  std::vector<std::string> remarks;
  const std::int64_t batch = report.rows.front().cluster.batch_size;
  remarks.push_back(
      report.keeps_per_device_batch
          ? fmt::format("The batch grows with the hosts, from {} examples an update "
                        "(--keep-per-device-batch): larger counts learn in fewer, larger updates.",
                        batch)
          : fmt::format("Every count learns alike: {} examples an update, over all hosts.", batch));
  if (report.hosts_share_a_machine) {
    remarks.emplace_back(
        "Hosts share one machine, its caches and memory, so the plain speed-up falls short of what "
        "separate machines reach.");
  }
  const bool has_copies =
      std::ranges::any_of(report.rows, [](const ScaleRow& row) { return !row.copies.empty(); });
  if (has_copies) {
    remarks.emplace_back(
        "\"over copies\" is the yardstick for that: hosts x the job's samples/s, by those of all "
        "hosts together when each trains a copy of its own at the same time without "
        "communication.");
  }
  remarks.emplace_back(
      "Exposed: computing stood still until gradients had come; waiting, a part of it: until the "
      "slowest rank was ready. Both, optimizer, input and the communicating thread's CPU are "
      "percent of a step.");
  return remarks;
}

std::string scale_table(const ScaleReport& report) {
  std::vector<std::vector<std::string>> lines = {
      {"nodes", "s/step", "samples/s", "speed-up", "over copies", "efficiency %", "exposed %",
       "waiting %", "optimizer %", "input %", "comm. CPU %", "Mbit/s sent", "metric"}};
  for (const ScaleRow& row : report.rows) {
    const ScaleFigures figures = figures_of(report, row);
    lines.push_back(
        {fmt::format("{}", row.nodes), fmt::format("{:.4g}", figures.seconds_per_step),
         fmt::format("{:.2f}", figures.samples_per_second), fmt::format("{:.3f}", figures.speed_up),
         figures.speed_up_over_copies ? fmt::format("{:.3f}", *figures.speed_up_over_copies) : "-",
         percent(figures.efficiency), percent(figures.exposed), percent(figures.waiting),
         percent(figures.optimizer), percent(figures.input), percent(figures.communication_cpu),
         fmt::format("{:.1f}", figures.megabits_per_second),
         figures.metric.first.empty()
             ? "-"
             : fmt::format("{} {:.4f}", figures.metric.first, figures.metric.second)});
  }
  return aligned(lines);
}

std::string scale_json(const ScaleReport& report) {
  json rows = json::array();
  for (const ScaleRow& row : report.rows) rows.push_back(row_json(report, row));
  const json object = {{"job", report.job},
                       {"launcher", report.launcher},
                       {"batch", report.keeps_per_device_batch ? "grows with the hosts" : "fixed"},
                       {"hosts_share_a_machine", report.hosts_share_a_machine},
                       {"ranks_per_host", report.ranks_per_host},
                       {"remarks", remarks_of(report)},
                       {"runs", rows}};
  return object.dump(2, ' ', true, json::error_handler_t::replace) + "\n";  // NaN is null
}

}  // namespace tandem
