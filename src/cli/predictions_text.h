#pragma once
// Predictions as text.

#include <string>

#include "data/example.h"
#include "train/evaluator.h"

namespace tandem {

// A header line, then for each example in input order: index, label, its probability, and the
// probability of every label, tab-separated; with several labels at once index, the labels with
// commas between, and the probability of every label for itself; for regression index and value.
std::string predictions_table(const Predictions&, const LabelScheme&);

// The same as JSON Lines: {"index": 0, "label": "x", "probability": 0.9, "probabilities": {...}}.
std::string predictions_json_lines(const Predictions&, const LabelScheme&);

// run_glue.py's predict_results file: "index\tprediction" and the label's name, the value, or as
// run_classification.py a Python list of names.
std::string reference_predictions(const Predictions&, const LabelScheme&);

}  // namespace tandem
