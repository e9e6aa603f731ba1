#pragma once
// What a report shows of a classifier.

#include <string>

#include "report/answered_set.h"

namespace tandem {

// HTML: the confusion matrix (of many classes the pairs confused most), each class's precision,
// recall and F1, a calibration diagram with ECE, and for two classes precision-recall and ROC
// curves with their areas, the second class being the positive one.
std::string classification_section(const AnsweredSet& set);

}  // namespace tandem
