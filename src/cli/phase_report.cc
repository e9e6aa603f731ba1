#include "cli/phase_report.h"

#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "formats/json.h"

namespace tandem {

void print_phases(const StepBenchmark& result) {
  fmt::print("{:<18}{:<10}{:>9}{:>8}{:>9}{:>10}{:>8}{:>8}{:>15}\n", "phase", "pass", "ms",
             "of step", "GFLOP", "GFLOP/s", "GB", "GB/s", "of attainable");
  double whole = 0;
  for (const PhaseTotal& phase : result.phases) whole += phase.seconds;
  for (const PhaseTotal& phase : result.phases) {
    const auto figure = [](double value, int decimals) {
      return value > 0 ? fmt::format("{:.{}f}", value, decimals) : std::string("-");
    };
    const double share = result.share_of_attainable(phase);
    fmt::print("{:<18}{:<10}{:>9.1f}{:>7.1f}%{:>9}{:>10}{:>8}{:>8}{:>15}\n", name_of(phase.phase),
               name_of(phase.pass), phase.seconds * 1e3, 100 * phase.seconds / whole,
               figure(phase.flops / 1e9, 1), figure(phase.flops / phase.seconds / 1e9, 0),
               figure(phase.bytes / 1e9, 2), figure(phase.bytes / phase.seconds / 1e9, 1),
               share > 0 ? fmt::format("{:.0f}%", 100 * share) : "-");
  }
}

nlohmann::json phases_json(const StepBenchmark& result) {
  nlohmann::json phases = nlohmann::json::array();
  for (const PhaseTotal& phase : result.phases) {
    phases.push_back({{"phase", name_of(phase.phase)},
                      {"pass", name_of(phase.pass)},
                      {"seconds", phase.seconds},
                      {"flops", phase.flops},
                      {"bytes", phase.bytes},
                      {"share_of_attainable", result.share_of_attainable(phase)}});
  }
  return phases;
}

void write_trace(const StepBenchmark& result, const std::filesystem::path& path) {
  nlohmann::json events = nlohmann::json::array();
  constexpr double kMicroseconds = 1e6;
  for (const Lap& lap : result.last_laps) {
    const double seconds = lap.end - lap.start;
    events.push_back({{"name", name_of(lap.phase)},
                      {"cat", name_of(lap.pass)},
                      {"ph", "X"},
                      {"ts", lap.start * kMicroseconds},
                      {"dur", seconds * kMicroseconds},
                      {"pid", 1},
                      {"tid", 1},
                      {"args",
                       {{"pass", name_of(lap.pass)},
                        {"gflops", lap.flops / seconds / 1e9},
                        {"gigabytes_per_second", lap.bytes / seconds / 1e9},
                        {"gelu_milliseconds", lap.activation_seconds * 1e3}}}});
  }
  const nlohmann::json trace = {{"traceEvents", events}, {"displayTimeUnit", "ms"}};
  StagedFiles files(path.has_parent_path() ? path.parent_path() : ".");
  files.add(path.filename(), python_json(trace, {.indent = std::nullopt}));
  files.commit();
}

}  // namespace tandem
