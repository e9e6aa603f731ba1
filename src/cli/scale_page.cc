#include "cli/scale_page.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace tandem {
namespace {

// Bars are as wide as the page, by percents, so that text keeps its size on any screen; the graph
// has a size of its own.
constexpr std::string_view kStyle = R"css(
:root { color-scheme: light dark; --page: #fbfbfa; --text: #1c1d1f; --soft: #5c6066;
  --line: #d9dadc; --input: #b8860b; --compute: #2f6fb3; --waiting: #d9822b;
  --communication: #b8336a; --optimizer: #3a8a5c; --other: #a3a7ad; }
@media (prefers-color-scheme: dark) {
  :root { --page: #17181a; --text: #e8e8e6; --soft: #a5a9b0; --line: #3a3d42; --input: #d9b344;
    --compute: #6aa5e3; --waiting: #f0a458; --communication: #e6739f; --optimizer: #6cc091;
    --other: #6d7178; } }
body { margin: 0 auto; padding: 1rem; max-width: 72rem; background: var(--page);
  color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 .25rem; } p { max-width: 46rem; }
code { overflow-wrap: anywhere; } .soft { color: var(--soft); font-size: .875rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .6rem; text-align: right; border-bottom: 1px solid var(--line);
  white-space: nowrap; } th { font-weight: 600; white-space: normal; vertical-align: bottom; }
svg { display: block; } svg.bar { width: 100%; height: 22px; margin-bottom: .5rem; }
svg.graph { width: 100%; max-width: 34rem; } svg text { fill: var(--soft); font-size: 12px; }
.scale { display: flex; justify-content: space-between; }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: 0; list-style: none; }
.legend svg { display: inline-block; vertical-align: -1px; margin-right: .4rem; }
.axis { stroke: var(--line); } .ideal { stroke: var(--soft); stroke-dasharray: 5 4; fill: none; }
.plain { stroke: var(--compute); fill: none; stroke-width: 2; }
.copies { stroke: var(--optimizer); fill: none; stroke-width: 2; }
circle.plain { fill: var(--compute); } circle.copies { fill: var(--optimizer); }
)css";

std::string percent(double share) { return fmt::format("{:.1f}", 100 * share); }

std::string row(const char* cell, const std::vector<std::string>& values) {
  std::string text = "<tr>";
  for (const std::string& value : values) text += fmt::format("<{0}>{1}</{0}>", cell, value);
  return text + "</tr>\n";
}

std::string table(const ScaleReport& report) {
  std::string text = "<div class=\"wide\"><table>\n";
  text += row("th", {"nodes", "batch", "s/step", "samples/s", "speed-up", "over copies",
                     "efficiency %", "exposed %", "waiting %", "optimizer %", "input %",
                     "comm. CPU %", "Mbit/s sent", "train loss", "metric"});
  for (const ScaleRow& run : report.rows) {
    const ScaleFigures figures = figures_of(report, run);
    const double loss = run.cluster.train_loss;
    text += row(
        "td",
        {fmt::format("{}", run.nodes), fmt::format("{}", run.cluster.batch_size),
         fmt::format("{:.4g}", figures.seconds_per_step),
         fmt::format("{:.2f}", figures.samples_per_second), fmt::format("{:.3f}", figures.speed_up),
         figures.speed_up_over_copies ? fmt::format("{:.3f}", *figures.speed_up_over_copies) : "–",
         percent(figures.efficiency), percent(figures.exposed), percent(figures.waiting),
         percent(figures.optimizer), percent(figures.input), percent(figures.communication_cpu),
         fmt::format("{:.1f}", figures.megabits_per_second),
         std::isfinite(loss) ? fmt::format("{:.4f}", loss) : "–",
         figures.metric.first.empty() ? "–"
                                      : fmt::format("{} {:.4f}", html_escaped(figures.metric.first),
                                                    figures.metric.second)});
  }
  return text + "</table></div>\n";
}

// Of the graph: the plot's corner is at (kLeft, kBottom); x and y have the same scale.
constexpr double kLeft = 36, kBottom = 270, kWidth = 300, kHeight = 240;

struct Axes {
  double low, high;  // of the ideal speed-up
  double x(double ideal) const {
    return kLeft + kWidth * (high > low ? (ideal - low) / (high - low) : 1);
  }
  double y(double speed_up) const { return kBottom - kHeight * speed_up / high; }
};

std::string points(const Axes& axes, const std::vector<std::pair<double, double>>& values,
                   const char* kind) {
  std::string line;
  std::string dots;
  for (const auto& [ideal, speed_up] : values) {
    const double x = axes.x(ideal);
    const double y = axes.y(speed_up);
    line += fmt::format("{:.1f},{:.1f} ", x, y);
    dots += fmt::format(
        "<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"><title>{:.3f} of {:.3g}</title>"
        "</circle>\n",
        kind, x, y, speed_up, ideal);
  }
  return fmt::format("<polyline class=\"{}\" points=\"{}\"/>\n{}", kind, line, dots);
}

std::string graph(const ScaleReport& report) {
  std::vector<std::pair<double, double>> plain, copies, ideal;
  double highest = 1;
  for (const ScaleRow& run : report.rows) {
    const ScaleFigures figures = figures_of(report, run);
    plain.emplace_back(figures.ideal, figures.speed_up);
    ideal.emplace_back(figures.ideal, figures.ideal);
    highest = std::max({highest, figures.ideal, figures.speed_up});
    // Copies stand for one host; the plain speed-up for the first row's hosts.
    if (figures.speed_up_over_copies) {
      copies.emplace_back(figures.ideal, *figures.speed_up_over_copies / report.rows.front().nodes);
      highest = std::max(highest, copies.back().second);
    }
  }
  const Axes axes{.low = 0, .high = highest};
  std::string text =
      "<svg class=\"graph\" viewBox=\"0 0 360 300\" role=\"img\" aria-label=\"speed-up by nodes, "
      "with the ideal line\">\n";
  text += fmt::format("<path class=\"axis\" fill=\"none\" d=\"M{0} {1}V{2}H{3}\"/>\n", kLeft,
                      kBottom - kHeight, kBottom, kLeft + kWidth);
  text += fmt::format("<path class=\"ideal\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>\n", axes.x(0),
                      axes.y(0), axes.x(highest), axes.y(highest));
  for (const ScaleRow& run : report.rows) {
    const double value = figures_of(report, run).ideal;
    text += fmt::format(
        "<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n"
        "<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{:.3g}</text>\n",
        axes.x(value), kBottom + 18, run.nodes, kLeft - 6, axes.y(value) + 4, value);
  }
  text += points(axes, plain, "plain");
  if (!copies.empty()) text += points(axes, copies, "copies");
  text +=
      "</svg>\n<ul class=\"legend soft\"><li><svg width=\"24\" height=\"10\"><path "
      "class=\"ideal\" d=\"M0 5H24\"/></svg>ideal</li><li><svg width=\"24\" height=\"10\">"
      "<path class=\"plain\" d=\"M0 5H24\"/></svg>speed-up over the first count</li>";
  if (!copies.empty()) {
    text +=
        "<li><svg width=\"24\" height=\"10\"><path class=\"copies\" d=\"M0 5H24\"/></svg>over "
        "copies without communication</li>";
  }
  return text + "</ul>\n";
}

std::string legend() {
  std::string text = "<ul class=\"legend soft\">";
  for (const StepPart& part : parts_of({})) {
    text += fmt::format(
        "<li><svg width=\"11\" height=\"11\"><rect width=\"11\" height=\"11\" "
        "fill=\"var(--{0})\"/></svg>{0}</li>",
        part.name);
  }
  return text + "</ul>\n";
}

// One bar of a rank's parts, where `seconds` are the whole width.
std::string bar(const RankSpeed& rank, double seconds) {
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

std::string heading(const ScaleRow& run) {
  return fmt::format("<h3>{} node{}</h3>\n", run.nodes, run.nodes == 1 ? "" : "s");
}

std::string division(const ScaleReport& report) {
  std::string text;
  for (const ScaleRow& run : report.rows) {
    text += heading(run);
    for (std::size_t rank = 0; rank < run.cluster.ranks.size(); ++rank) {
      const RankSpeed& speed = run.cluster.ranks[rank];
      text += fmt::format("<div class=\"soft\">rank {} on {}:", rank, html_escaped(speed.host));
      for (const StepPart& part : parts_of(speed)) {
        const double share = speed.times.whole > 0 ? part.seconds / speed.times.whole : 0;
        if (share >= 0.0005) text += fmt::format(" {} {}%", part.name, percent(share));
      }
      text += "</div>\n" + bar(speed, speed.times.whole);
    }
  }
  return text;
}

std::string timeline(const ScaleReport& report) {
  double longest = 0;
  for (const ScaleRow& run : report.rows) {
    for (const RankSpeed& rank : run.cluster.ranks) longest = std::max(longest, rank.times.whole);
  }
  std::string text;
  for (const ScaleRow& run : report.rows) {
    text += heading(run);
    for (std::size_t rank = 0; rank < run.cluster.ranks.size(); ++rank) {
      const RankSpeed& speed = run.cluster.ranks[rank];
      text += fmt::format("<div class=\"soft\">rank {} on {}: {:.4g} s</div>\n", rank,
                          html_escaped(speed.host), speed.times.whole);
      text += bar(speed, longest);
    }
  }
  text += "<div class=\"soft scale\">";
  for (int i = 0; i <= 4; ++i) text += fmt::format("<span>{:.3g} s</span>", longest * i / 4);
  return text + "</div>\n";
}

}  // namespace

std::string html_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string scale_page(const ScaleReport& report) {
  std::string text = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">\n<title>tandem scale</title>\n"
      "<style>{}</style></head><body>\n<h1>One job on growing numbers of hosts</h1>\n"
      "<p><code>{}</code><br><span class=\"soft\">{}</span></p>\n",
      kStyle, html_escaped(report.job), html_escaped(report.launcher));
  text += table(report);
  for (const std::string& remark : remarks_of(report)) {
    text += fmt::format("<p class=\"soft\">{}</p>\n", html_escaped(remark));
  }
  text += "<h2>Speed-up</h2>\n" + graph(report);
  text += "<h2>What a step's time goes into</h2>\n" + legend() + division(report);
  text +=
      "<h2>A step in time</h2>\n<p class=\"soft\">Means over the steps measured, one after the "
      "other. Communication also goes on while the ranks compute; shown is what is left when "
      "they are done.</p>\n" +
      legend() + timeline(report);
  return text + "</body></html>\n";
}

}  // namespace tandem
