#pragma once
// Which columns of a person's own table hold the text, its pair and the label.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/table.h"

namespace tandem {

// The columns a person named (--text-column, --pair-column, --label-column), or those of another
// file of the same run; the others are found.
struct ColumnNames {
  std::optional<std::string> text = std::nullopt;
  std::optional<std::string> pair = std::nullopt;
  std::optional<std::string> label = std::nullopt;
  std::string like = {};  // the other file; empty when a person named them
};

// Training and evaluation need labels; a file to predict may do without, even when
// ColumnNames::like says what its label column would be called.
enum class LabelNeed : std::uint8_t { kRequired, kIfPresent };

struct ColumnChoice {
  std::size_t text = 0;
  std::optional<std::size_t> pair;
  std::optional<std::size_t> label;
  // What a person should know of how they were found, a sentence each: a label column by another
  // name than "label", columns left out.
  std::vector<std::string> notes;
};

// As run_glue.py: the label is the column `label`; the texts are `sentence1` and `sentence2`, else
// the first two other columns, else the only one. Beyond that:
//  - case doesn't count for the names it looks for, and where there is no `label` it takes the
//  first
//    of labels, class, target, category, sentiment, gold_label, score;
//  - columns of numbers alone, and those called id, idx, index and the like, are not texts;
//  - with `text` named and `pair` not, there is no pair; with `pair` alone, the text is found.
// Throws DataError, which lists the columns and suggests the nearest name: a named column that
// isn't there, one column named for two purposes, no text column, no label column where one is
// required.
ColumnChoice choose_columns(const Table& table, const ColumnNames& names, LabelNeed need);

// The names of a choice, to look for in the other files of the same run.
ColumnNames names_of(const Table& table, const ColumnChoice& choice);

// `text: column "sentence" (1 of 3), label: column "label" (2 of 3)`.
std::string describe_columns(const Table& table, const ColumnChoice& choice);

}  // namespace tandem
