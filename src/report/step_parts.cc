#include "report/step_parts.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/html.h"

namespace tandem {

std::array<StepPart, 6> parts_of(const RankSpeed& rank) {
  const StepTimes& times = rank.times;
  const double known = times.input + times.compute + times.exposed + times.optimizer;
  return {{{"input", times.input},
           {"compute", times.compute},
           {"waiting", rank.waiting},
           {"communication", std::max(0.0, times.exposed - rank.waiting)},
           {"optimizer", times.optimizer},
           {"other", std::max(0.0, times.whole - known)}}};
}

std::string parts_legend() {
  std::string text = "<ul class=\"legend soft\">";
  for (const StepPart& part : parts_of({})) {
    text += fmt::format(
        "<li><svg width=\"11\" height=\"11\"><rect width=\"11\" height=\"11\" "
        "fill=\"var(--{0})\"/></svg>{0}</li>",
        part.name);
  }
  return text + "</ul>\n";
}

std::string parts_bar(const RankSpeed& rank, double seconds) {
  std::string text = "<svg class=\"bar\" role=\"img\" aria-label=\"a step of ";
  text += html_escaped(rank.host) + "\">";
  double begin = 0;
  for (const StepPart& part : parts_of(rank)) {
    const double width = seconds > 0 ? 100 * part.seconds / seconds : 0;
    if (width <= 0) continue;
    text += fmt::format(
        "<rect x=\"{:.3f}%\" width=\"{:.3f}%\" height=\"22\" fill=\"var(--{})\"><title>{}: {:.4g} s"
        "</title></rect>",
        begin, width, part.name, part.name, part.seconds);
    begin += width;
  }
  return text + "</svg>\n";
}

std::string parts_in_percent(const RankSpeed& rank) {
  constexpr double kLeast = 0.0005;
  std::string text;
  for (const StepPart& part : parts_of(rank)) {
    const double share = rank.times.whole > 0 ? part.seconds / rank.times.whole : 0;
    if (share < kLeast) continue;
    text += fmt::format("{}{} {:.1f}%", text.empty() ? "" : " ", part.name, 100 * share);
  }
  return text;
}

}  // namespace tandem
