#pragma once
// What reports of all classifiers have, whether a row has one label or several.

#include <cstddef>
#include <span>
#include <string>

#include "report/answered_set.h"

namespace tandem {

// Of more labels no table is shown at once, and no confusion matrix at all: nobody reads it.
inline constexpr std::size_t kMostLabelsShown = 30;

// HTML: the name of output `id`, shortened where it is long.
std::string label_name(const AnsweredSet& set, std::size_t id);

// HTML: each label's precision, recall, F1 and rows, and their averages: macro and weighted, with
// several labels at once also micro.
std::string score_table(const AnsweredSet& set);

// HTML: a calibration diagram with ECE, and a histogram of the confidences. `right[i]` is 1 where
// what had the probability confidences[i] was so, else 0. `what` says whose probability it is.
std::string calibration_charts(std::span<const double> confidences, std::span<const double> right,
                               const std::string& what);

}  // namespace tandem
