#pragma once
// What is wrong, or may be, with a data set, as `tandem data check` reports it.

#include <cstdint>
#include <string>
#include <vector>

namespace tandem {

// kError: training would fail. kWarning: it would not, but a person should know.
enum class FindingSeverity : std::uint8_t { kError, kWarning };

struct DataFinding {
  FindingSeverity severity;
  std::string kind;  // a word that stays the same, for scripts: "duplicate"
  std::string source;
  std::string message;                   // without the place
  std::vector<std::int64_t> lines = {};  // in the source, ascending; empty: the file as a whole
  // Of rows that repeat others: where the other of each stands.
  std::string other_source = {};
  std::vector<std::int64_t> other_lines = {};
};

// The error that a reader's message tells of: "file:line: what" or "file: what", of this source.
DataFinding refusal(std::string kind, const std::string& source, std::string message);

}  // namespace tandem
