#pragma once
// Labelled texts as they stand in a table, before tokens.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tandem {

// kMultiLabel: any number of the labels at once, none included.
enum class ProblemKind { kSingleLabel, kRegression, kMultiLabel };

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
  float label;        // class id or value; 0 with kMultiLabel; NaN without a label
  std::int64_t line;  // where its row starts in the file, from 1
  std::vector<std::int32_t> labels = {};  // with kMultiLabel: their ids, ascending
};

struct ExampleSet {
  std::string source;  // the file, for messages
  std::vector<Example> examples;
  std::int64_t label_columns = 1;  // numbers that say an example's labels: K with kMultiLabel
  std::int64_t rows = 0;           // of the file, read or not; broken ones left out
  std::int64_t empty_texts = 0;    // examples in which the text or its pair is empty
  std::int64_t skipped_rows = 0;   // broken rows that the task leaves out (QQP)
};

}  // namespace tandem
