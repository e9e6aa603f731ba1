#pragma once
// What a label column means: which problem it poses, its classes, and the id of each label.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/example.h"
#include "data/table.h"

namespace tandem {

inline constexpr std::size_t kMostLabels = 1000;

enum class LabelReading : std::uint8_t { kInfer, kRegression };  // kRegression: --do-regression

struct InferredLabels {
  LabelScheme scheme;
  // What a person should know of how the kind was found, a sentence each.
  std::vector<std::string> notes;
};

// The scheme of the training table's label column, as run_glue.py infers it: numbers with a decimal
// point or exponent in any row are regression (written as text too, which run_glue.py would take
// for as many classes); otherwise each distinct label is a class, whole numbers in numerical order,
// everything else in order of its code points. Labels are trimmed, and whole numbers written the
// short way (007 is 7). Where any row has a list, or there is a `separator`, a row has several
// labels at once (labels_in_cell). Throws DataError, with the line where there is one, for an empty
// or null label, an object, one distinct label only, more than kMostLabels, and for regression a
// label that isn't a finite number.
InferredLabels infer_labels(const Table& table, std::size_t label_column, LabelReading reading,
                            std::string_view separator = {});

// From a cell to the number that stands for it in training.
class LabelMap {
 public:
  // `known_to` says whose labels these are in messages: "train.tsv", "the model".
  LabelMap(const LabelScheme& scheme, std::string known_to);

  // A class is found by its name; else, where no name is itself a whole number, by its id. For
  // regression it is the number. Nothing when the label is unknown or not a number.
  std::optional<float> find(std::string_view label) const;
  // The same; throws DataError that names file, line, label and the known ones.
  float at(const Table& table, std::int64_t row, std::size_t column) const;
  // The ids of all labels of a cell, ascending; throws as labels_in_cell and at().
  std::vector<std::int32_t> all_at(const Table& table, std::int64_t row, std::size_t column,
                                   std::string_view separator) const;

 private:
  [[noreturn]] void throw_unknown(const std::string& where, std::string_view label) const;

  LabelScheme scheme_;
  std::string known_to_;
  std::vector<std::size_t> by_name_;  // ids in order of their names
  bool whole_numbers_ = false;        // some name is a whole number
};

// How many examples have each label: [K]; empty for regression. Examples without a
// label are not counted.
std::vector<std::int64_t> count_labels(const ExampleSet& examples, const LabelScheme& scheme);

// `single label, 2 labels: "negative" 29780, "positive" 37569`; `several labels at once, 3 labels:
// "art" 12, "food" 7, "film" 9; 4 rows have none`; `regression, 5749 values from 0 to 5`.
std::string describe_labels(const ExampleSet& examples, const LabelScheme& scheme);

}  // namespace tandem
