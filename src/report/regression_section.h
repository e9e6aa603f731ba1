#pragma once
// What a report shows of a model of values.

#include <string>

#include "report/answered_set.h"

namespace tandem {

// HTML: predicted against actual values, and what is between them: by value and as a histogram.
std::string regression_section(const AnsweredSet& set);

}  // namespace tandem
