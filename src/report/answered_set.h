#pragma once
// A model's answers to labelled rows, as a report looks at them.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "data/example.h"
#include "data/token_dataset.h"
#include "train/evaluator.h"
#include "train/run_log.h"

namespace tandem {

struct AnsweredSet {
  std::string source;             // the file
  Results results;                // metrics, loss and speed
  LabelScheme labels;             // K outputs
  std::vector<double> answers;    // [N, K]: probabilities, or values for regression
  Judged judged;                  // what is right, and what was predicted
  std::vector<double> lengths;    // [N]: tokens
  std::vector<Example> examples;  // [N]

  std::size_t size() const { return lengths.size(); }
  std::size_t outputs() const { return static_cast<std::size_t>(labels.outputs()); }
  double answer(std::size_t example, std::size_t output) const {
    return answers[example * outputs() + output];
  }
};

// Of predictions in the data set's order, of which each example has a label.
AnsweredSet answered_set(const Predictions&, const TokenDataset&, const ExampleSet&,
                         const LabelScheme&, Results);

// How many tokens each example has, over all of its pieces.
std::vector<double> token_lengths(const TokenDataset&);

}  // namespace tandem
