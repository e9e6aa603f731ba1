#include "report/run_page.h"

#include <fmt/format.h>

#include "report/classification_section.h"
#include "report/html.h"
#include "report/regression_section.h"
#include "report/several_labels_section.h"
#include "report/step_parts.h"
#include "report/worst_examples.h"

namespace tandem {
namespace {

// The numbers that one looks for first, large.
std::string headline(const AnsweredSet& set) {
  std::string text = "<div class=\"figures\">\n";
  for (const auto& [name, value] : set.results) {
    if (!tells_quality(name)) continue;
    constexpr std::string_view kPrefix = "eval_";
    const std::string shown = name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name;
    text += fmt::format("<div><b>{}</b><span class=\"soft\">{}</span></div>\n", html_number(value),
                        html_escaped(shown));
  }
  return text +
         fmt::format("<div><b>{}</b><span class=\"soft\">rows</span></div>\n</div>\n", set.size());
}

std::string evaluation(const AnsweredSet& set, const TrainingRows& training) {
  std::string text = "<h2>Evaluation on " + html_escaped(set.source) + "</h2>\n" + headline(set);
  switch (set.labels.kind) {
    case ProblemKind::kRegression:
      text += regression_section(set);
      break;
    case ProblemKind::kMultiLabel:
      text += several_labels_section(set);
      break;
    case ProblemKind::kSingleLabel:
      text += classification_section(set);
      break;
  }
  return text + distributions(set, training) + worst_examples(set);
}

std::string speed(const SpeedReport& report) {
  if (report.steps == 0) return "";
  std::string text = fmt::format(
      "<h2>Time</h2>\n<p>{:.4g} s a step, {:.2f} examples and {:.0f} tokens a second, over {} "
      "steps "
      "(a run's first ones aren't counted).</p>\n",
      report.seconds_per_step(), report.samples_per_second(),
      static_cast<double>(report.tokens) /
          (report.seconds_per_step() * static_cast<double>(report.steps)),
      report.steps);
  text += parts_legend();
  for (const RankSpeed& rank : report.ranks) {
    text += fmt::format("<div class=\"soft\">{}, {} threads: {}</div>\n", html_escaped(rank.host),
                        rank.threads, parts_in_percent(rank));
    text += parts_bar(rank, rank.times.whole);
  }
  return text;
}

std::string machine(const RunReport& report) {
  HtmlTable table{.columns = {{"", "name"}, {"", "argument"}}};
  for (const auto& [name, value] : report.machine) {
    table.rows.push_back({html_escaped(name), html_escaped(value)});
  }
  return "<h2>Machine</h2>\n" + table.html();
}

std::string arguments(const nlohmann::json& values) {
  HtmlTable table{.columns = {{"", "name"}, {"", "argument"}}};
  for (const auto& [name, value] : values.items()) {
    const std::string text =
        value.is_string() ? value.get<std::string>()
                          : value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    table.rows.push_back({html_escaped(name), html_escaped(text)});
  }
  return "<h2>Arguments</h2>\n<details><summary>all " + fmt::format("{}", table.rows.size()) +
         "</summary>\n" + table.html() + "</details>\n";
}

}  // namespace

std::string run_page(const RunReport& report) {
  std::string text;
  if (report.training) {
    text +=
        training_section(report.training->curve, report.training->log, report.training->judgement);
  }
  for (const AnsweredSet& set : report.sets) {
    text += evaluation(set, report.training ? report.training->rows : TrainingRows{});
  }
  if (report.training) text += speed(report.training->speed);
  text += machine(report);
  if (!report.arguments.empty()) text += arguments(report.arguments);
  return html_page(report.title, text);
}

}  // namespace tandem
