#pragma once
// What a data set is like: how often each label occurs, and how long the texts are.

#include <span>
#include <string>
#include <vector>

#include "report/answered_set.h"
#include "report/chart.h"

namespace tandem {

// The rows that were learned from.
struct TrainingRows {
  std::string source;           // the file; empty when there was no training
  std::vector<double> labels;   // class ids, values, or with several labels at once 0 and 1
  std::vector<double> lengths;  // tokens
};

// How many of the values lie in each of at most 25 ranges of equal width.
Chart histogram(std::string title, std::span<const double> values, std::string label);
// The same of whole numbers, the ranges' ends being some too.
Chart whole_number_histogram(std::string title, std::span<const double> values, std::string label);

// HTML: a table of each label's share in training, in evaluation and among the predictions, or for
// regression histograms of the values; and histograms of the lengths.
std::string distributions(const AnsweredSet& set, const TrainingRows& training);

}  // namespace tandem
