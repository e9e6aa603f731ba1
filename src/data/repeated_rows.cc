#include "data/repeated_rows.h"

#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "data/table.h"

namespace tandem {
namespace {

struct Place {
  std::size_t set;
  const Example* example;
};

// No table holds a NUL, so it can stand between the two.
std::string key_of(const Example& example) {
  std::string key(trimmed(example.text));
  if (!example.pair) return key;
  key += '\0';
  key += trimmed(*example.pair);
  return key;
}

bool same_label(const Example& a, const Example& b) {
  const bool neither = std::isnan(a.label) && std::isnan(b.label);
  return (neither || a.label == b.label) && a.labels == b.labels;
}

struct Kind {
  std::string_view name, message;
};
constexpr Kind kDuplicate = {"duplicate", "repeats an earlier row"};
constexpr Kind kContradiction = {"contradiction",
                                 "has the text of an earlier row, but another label"};
constexpr Kind kLeak = {"leak",
                        "has the text of a row of another split: what is measured there was seen"};

void add(const Kind& kind, const ExampleSet& set, std::int64_t line, const ExampleSet& other_set,
         std::int64_t other_line, std::map<std::string, DataFinding>& findings) {
  const std::string key = std::string(kind.name) + '\0' + other_set.source;
  const auto [at, ignored] =
      findings.try_emplace(key, DataFinding{.severity = FindingSeverity::kWarning,
                                            .kind = std::string(kind.name),
                                            .source = set.source,
                                            .message = std::string(kind.message),
                                            .other_source = other_set.source});
  at->second.lines.push_back(line);
  at->second.other_lines.push_back(other_line);
}

}  // namespace

std::vector<DataFinding> find_repeated_rows(std::span<const ExampleSet> sets) {
  std::vector<DataFinding> all;
  std::unordered_map<std::string, Place> first;
  for (std::size_t s = 0; s < sets.size(); ++s) {
    std::map<std::string, DataFinding> findings;
    for (const Example& example : sets[s].examples) {
      const std::string key = key_of(example);
      if (key.empty()) continue;
      const auto [at, added] = first.try_emplace(key, Place{s, &example});
      if (added) continue;
      const Place& earlier = at->second;
      const Kind& kind = earlier.set != s                        ? kLeak
                         : same_label(*earlier.example, example) ? kDuplicate
                                                                 : kContradiction;
      add(kind, sets[s], example.line, sets[earlier.set], earlier.example->line, findings);
    }
    for (auto& [key, finding] : findings) all.push_back(std::move(finding));
  }
  return all;
}

}  // namespace tandem
