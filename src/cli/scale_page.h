#pragma once
// The report of `tandem scale` as a page of HTML.

#include <string>
#include <string_view>

#include "cli/scale_report.h"

namespace tandem {

// One page that needs nothing else: no script, no other file. Its pictures are SVG.
std::string scale_page(const ScaleReport& report);

// The text as it stands in HTML, in quotes or outside of them.
std::string html_escaped(std::string_view text);

}  // namespace tandem
