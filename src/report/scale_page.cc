#include "report/scale_page.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/chart.h"
#include "report/html.h"
#include "report/step_parts.h"

namespace tandem {
namespace {

std::string percent(double share) { return fmt::format("{:.1f}", 100 * share); }

std::string table(const ScaleReport& report) {
  HtmlTable table;
  for (const char* const heading :
       {"nodes", "batch", "s/step", "samples/s", "speed-up", "over copies", "efficiency %",
        "exposed %", "waiting %", "optimizer %", "input %", "comm. CPU %", "Mbit/s sent",
        "train loss", "metric"}) {
    table.columns.push_back({heading});
  }
  for (const ScaleRow& run : report.rows) {
    const ScaleFigures figures = figures_of(report, run);
    table.rows.push_back(
        {fmt::format("{}", run.nodes), fmt::format("{}", run.cluster.batch_size),
         fmt::format("{:.4g}", figures.seconds_per_step),
         fmt::format("{:.2f}", figures.samples_per_second), fmt::format("{:.3f}", figures.speed_up),
         figures.speed_up_over_copies ? fmt::format("{:.3f}", *figures.speed_up_over_copies) : "–",
         percent(figures.efficiency), percent(figures.exposed), percent(figures.waiting),
         percent(figures.optimizer), percent(figures.input), percent(figures.communication_cpu),
         fmt::format("{:.1f}", figures.megabits_per_second), html_number(run.cluster.train_loss),
         figures.metric.first.empty() ? "–"
                                      : fmt::format("{} {:.4f}", html_escaped(figures.metric.first),
                                                    figures.metric.second)});
  }
  return table.html();
}

std::string graph(const ScaleReport& report) {
  Points plain, copies;
  double highest = 1;
  for (const ScaleRow& run : report.rows) {
    const ScaleFigures figures = figures_of(report, run);
    plain.emplace_back(figures.ideal, figures.speed_up);
    highest = std::max({highest, figures.ideal, figures.speed_up});
    // Copies stand for one host; the plain speed-up for the first row's hosts.
    if (figures.speed_up_over_copies) {
      copies.emplace_back(figures.ideal, *figures.speed_up_over_copies / report.rows.front().nodes);
      highest = std::max(highest, copies.back().second);
    }
  }
  Axis nodes = axis_of(0, highest, "nodes");
  nodes.ticks.clear();
  for (const ScaleRow& run : report.rows) {
    nodes.ticks.push_back({figures_of(report, run).ideal, fmt::format("{}", run.nodes)});
  }
  Chart chart("Speed-up by nodes", nodes, axis_of(0, highest));
  chart.line({{0, 0}, {highest, highest}}, "ideal", "ideal")
      .line(plain, "first", "speed-up over the first count")
      .dots(plain, "first");
  if (!copies.empty()) {
    chart.line(copies, "third", "over copies without communication").dots(copies, "third");
  }
  return chart.html();
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
      text += fmt::format("<div class=\"soft\">rank {} on {}: {}</div>\n", rank,
                          html_escaped(speed.host), parts_in_percent(speed));
      text += parts_bar(speed, speed.times.whole);
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
      text += parts_bar(speed, longest);
    }
  }
  text += "<div class=\"soft scale\">";
  for (int i = 0; i <= 4; ++i) text += fmt::format("<span>{:.3g} s</span>", longest * i / 4);
  return text + "</div>\n";
}

}  // namespace

std::string scale_page(const ScaleReport& report) {
  std::string text = fmt::format("<p><code>{}</code><br><span class=\"soft\">{}</span></p>\n",
                                 html_escaped(report.job), html_escaped(report.launcher));
  text += table(report);
  for (const std::string& remark : remarks_of(report)) {
    text += fmt::format("<p class=\"soft\">{}</p>\n", html_escaped(remark));
  }
  text += "<h2>Speed-up</h2>\n" + graph(report);
  text += "<h2>What a step's time goes into</h2>\n" + parts_legend() + division(report);
  text +=
      "<h2>A step in time</h2>\n<p class=\"soft\">Means over the steps measured, one after the "
      "other. Communication also goes on while the ranks compute; shown is what is left when "
      "they are done.</p>\n" +
      parts_legend() + timeline(report);
  return html_page("One job on growing numbers of hosts", text);
}

}  // namespace tandem
