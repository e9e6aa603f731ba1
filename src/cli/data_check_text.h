#pragma once
// What `tandem data check` found, for people and for scripts.

#include <string>

#include "data/data_check.h"

namespace tandem {

// How many findings are of that severity.
std::int64_t count_findings(const DataCheck& check, FindingSeverity severity);

// A line for each finding, with the first lines of those that have many, and one that counts them.
std::string data_check_text(const DataCheck& check);

// {"errors": 1, "warnings": 2, "facts": [...], "findings": [{"severity": "error", "kind": "row",
// "file": "train.tsv", "message": "...", "lines": [7]}]}; rows that repeat others have "other_file"
// and "other_lines" as well.
std::string data_check_json(const DataCheck& check);

}  // namespace tandem
