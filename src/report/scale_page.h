#pragma once
// The report of `tandem scale` as a page of HTML.

#include <string>

#include "report/scale_report.h"

namespace tandem {

// One page that needs nothing else: no script, no other file. Its pictures are SVG.
std::string scale_page(const ScaleReport& report);

}  // namespace tandem
