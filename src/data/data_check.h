#pragma once
// The faults of a data set, all at once and before training.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/columns.h"
#include "data/finding.h"
#include "data/labels.h"
#include "data/table.h"
#include "text/tokenizer.h"

namespace tandem {

struct DataCheckOptions {
  ColumnNames columns = {};
  LabelReading reading = LabelReading::kInfer;
  std::string separator = {};
  const Tokenizer* tokenizer = nullptr;  // null: how long texts are isn't checked
  std::int64_t max_tokens = 128;
};

struct DataCheck {
  // In the order of the tables, errors first within one.
  std::vector<DataFinding> findings;
  // What was found out, a sentence for each table's columns and labels.
  std::vector<std::string> facts;
};

// The first table is what training learns from; the others, validation and test splits, must have
// its columns and labels. The tables were read with FaultPolicy::kCollect. Kinds of findings,
// beside those of find_repeated_rows:
//   errors: "row" (unreadable), "columns", "text" (null or a list), "label" (none, or not one),
//     "labels" (of the column as a whole), "unknown-label" (that training lacks)
//   warnings: "empty" (text), "cut" (longer than max_tokens), "numbers" (labels or texts that are
//     numbers, and may not have been meant so), "similar-labels", "rare-label" (a single row),
//     "absent-label" (training has it, another split doesn't)
DataCheck check_data(std::span<const Table> tables, const DataCheckOptions& options);

}  // namespace tandem
