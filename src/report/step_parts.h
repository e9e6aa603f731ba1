#pragma once
// What a step's time goes into, as bars.

#include <array>
#include <string>

#include "train/speed_report.h"

namespace tandem {

// A rank's step, divided: the parts follow each other and come to the whole.
struct StepPart {
  const char* name;
  double seconds;
};
std::array<StepPart, 6> parts_of(const RankSpeed& rank);

// HTML: each part's colour and name.
std::string parts_legend();
// HTML: one bar of a rank's parts, where `seconds` are the whole width.
std::string parts_bar(const RankSpeed& rank, double seconds);
// HTML: "input 0.2% compute 96.1% ...", parts that round to nothing left out.
std::string parts_in_percent(const RankSpeed& rank);

}  // namespace tandem
