#include "cli/series_table.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "train/run_log.h"

namespace tandem {
namespace {

constexpr std::string_view kEpoch = "epoch";  // among the results of an evaluation at the end

Results qualities_of(const SeriesRow& row) {
  Results qualities;
  for (const auto& result : row.results) {
    if (!is_speed(result.first) && result.first != kEpoch) qualities.push_back(result);
  }
  return qualities;
}

std::string aligned(const std::vector<std::vector<std::string>>& lines) {
  std::vector<std::size_t> widths(lines.front().size());
  for (const auto& line : lines) {
    for (std::size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], line[c].size());
  }
  std::string text;
  for (const auto& line : lines) {
    for (std::size_t c = 0; c < line.size(); ++c) {
      text += fmt::format("{}{:>{}}", c == 0 ? "" : "  ", line[c], widths[c]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  return text;
}

}  // namespace

SeriesSummary summary_of(const std::vector<SeriesRow>& rows) {
  SeriesSummary summary;
  const auto count = static_cast<double>(rows.size());
  for (const auto& [name, first_value] : qualities_of(rows.front())) {
    std::vector<double> values;
    for (const SeriesRow& row : rows) {
      const auto same = std::ranges::find(row.results, name, &Results::value_type::first);
      if (same != row.results.end()) values.push_back(same->second);
    }
    double sum = 0;
    for (const double value : values) sum += value;
    const double mean = sum / count;
    double squares = 0;
    for (const double value : values) squares += (value - mean) * (value - mean);
    summary.mean.emplace_back(name, mean);
    if (rows.size() > 1) {
      summary.standard_deviation.emplace_back(name, std::sqrt(squares / (count - 1)));
    }
  }
  return summary;
}

std::string series_table(const std::vector<SeriesRow>& rows, std::size_t best) {
  std::vector<std::vector<std::string>> lines(1);
  for (const auto& [name, value] : rows.front().settings) lines[0].push_back(name);
  for (const auto& [name, value] : qualities_of(rows.front())) lines[0].push_back(name);
  lines[0].emplace_back("");
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::vector<std::string> line;
    for (const auto& [name, value] : rows[r].settings) line.push_back(value);
    for (const auto& [name, value] : qualities_of(rows[r])) {
      line.push_back(fmt::format("{:.4f}", value));
    }
    line.emplace_back(r == best ? "*" : "");
    lines.push_back(std::move(line));
  }
  return aligned(lines);
}

std::string summary_lines(const SeriesSummary& summary) {
  std::vector<std::vector<std::string>> lines = {{"", "mean", "standard deviation"}};
  for (std::size_t i = 0; i < summary.mean.size(); ++i) {
    lines.push_back({summary.mean[i].first, fmt::format("{:.4f}", summary.mean[i].second),
                     fmt::format("{:.4f}", summary.standard_deviation[i].second)});
  }
  return aligned(lines);
}

nlohmann::json series_json(const std::vector<SeriesRow>& rows) {
  nlohmann::json list = nlohmann::json::array();
  for (const SeriesRow& row : rows) {
    nlohmann::json object = results_object(row.results);
    for (const auto& [name, value] : row.settings) object[name] = nlohmann::json::parse(value);
    if (!row.directory.empty()) object["directory"] = row.directory;
    list.push_back(std::move(object));
  }
  return list;
}

}  // namespace tandem
