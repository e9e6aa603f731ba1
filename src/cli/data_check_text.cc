#include "cli/data_check_text.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "formats/json.h"

namespace tandem {
namespace {

const char* name_of(FindingSeverity severity) {
  return severity == FindingSeverity::kError ? "error" : "warning";
}

// "train.tsv:7: is ...", or "train.tsv: 3 rows, lines 7, 9 (repeats line 2), ...".
std::string finding_text(const DataFinding& finding) {
  constexpr std::size_t kShown = 8;
  std::string lines;
  for (std::size_t i = 0; i < std::min(kShown, finding.lines.size()); ++i) {
    lines += fmt::format("{}{}", i == 0 ? "" : ", ", finding.lines[i]);
    if (finding.other_lines.empty()) continue;
    lines += finding.other_source == finding.source
                 ? fmt::format(" (as {})", finding.other_lines[i])
                 : fmt::format(" (as {}:{})", finding.other_source, finding.other_lines[i]);
  }
  if (finding.lines.size() > kShown) {
    lines += fmt::format(" and {} more", finding.lines.size() - kShown);
  }
  const std::string head = fmt::format("{}: {}", name_of(finding.severity), finding.source);
  if (finding.lines.empty()) return fmt::format("{}: {}\n", head, finding.message);
  if (finding.lines.size() == 1 && finding.other_lines.empty()) {
    return fmt::format("{}:{}: {}\n", head, lines, finding.message);
  }
  const bool one = finding.lines.size() == 1;
  return fmt::format("{}: {}: {} {}: {}\n", head, finding.message, one ? "line" : "lines", lines,
                     one ? "1 row" : fmt::format("{} rows", finding.lines.size()));
}

std::string counted(std::int64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

std::int64_t count_findings(const DataCheck& check, FindingSeverity severity) {
  return std::ranges::count(check.findings, severity, &DataFinding::severity);
}

std::string data_check_text(const DataCheck& check) {
  std::string text;
  for (const std::string& fact : check.facts) text += fact + "\n";
  for (const DataFinding& finding : check.findings) text += finding_text(finding);
  const std::int64_t errors = count_findings(check, FindingSeverity::kError);
  text += fmt::format("{}, {}{}\n", counted(errors, "error"),
                      counted(count_findings(check, FindingSeverity::kWarning), "warning"),
                      errors > 0 ? ": training would fail" : "");
  return text;
}

std::string data_check_json(const DataCheck& check) {
  nlohmann::json findings = nlohmann::json::array();
  for (const DataFinding& finding : check.findings) {
    nlohmann::json one = {{"severity", name_of(finding.severity)},
                          {"kind", finding.kind},
                          {"file", finding.source},
                          {"message", finding.message},
                          {"lines", finding.lines}};
    if (!finding.other_lines.empty()) {
      one["other_file"] = finding.other_source;
      one["other_lines"] = finding.other_lines;
    }
    findings.push_back(std::move(one));
  }
  return python_json({{"errors", count_findings(check, FindingSeverity::kError)},
                      {"warnings", count_findings(check, FindingSeverity::kWarning)},
                      {"facts", check.facts},
                      {"findings", findings}},
                     {.indent = 2}) +
         "\n";
}

}  // namespace tandem
