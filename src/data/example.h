#pragma once
// Labelled texts as they stand in a table, before tokens.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tandem {

enum class ProblemKind { kSingleLabel, kRegression };

// What a label column means. Regression has no names.
struct LabelScheme {
  ProblemKind kind = ProblemKind::kSingleLabel;
  std::vector<std::string> names = {};  // names[id]
  std::int64_t outputs() const {        // K, the width of the logits
    return kind == ProblemKind::kRegression ? 1 : static_cast<std::int64_t>(names.size());
  }
};

struct Example {
  std::string text;
  std::optional<std::string> pair;
  float label;        // class id or value; NaN without a label
  std::int64_t line;  // where its row starts in the file, from 1
};

struct ExampleSet {
  std::string source;  // the file, for messages
  std::vector<Example> examples;
  std::int64_t empty_texts = 0;   // examples in which the text or its pair is empty
  std::int64_t skipped_rows = 0;  // broken rows that the task leaves out (QQP)
};

}  // namespace tandem
