#pragma once
// What a report shows of a classifier whose rows have several labels at once.

#include <string>

#include "report/answered_set.h"

namespace tandem {

// HTML: each label's precision, recall and F1 with micro, macro and weighted averages, a
// calibration diagram of all labels' probabilities, and how many labels rows have.
std::string several_labels_section(const AnsweredSet& set);

}  // namespace tandem
