#include "report/training_section.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "report/chart.h"
#include "report/html.h"
#include "train/results.h"

namespace tandem {
namespace {

using nlohmann::json;

double number_of(const json& entry, const std::string& key) {
  const auto found = entry.find(key);
  return found != entry.end() && found->is_number() ? found->get<double>() : NAN;
}

Points line_of(const std::vector<TrainingCurve::Point>& curve,
               double TrainingCurve::Point::*field) {
  Points points;
  for (const TrainingCurve::Point& point : curve) points.emplace_back(point.step, point.*field);
  return points;
}

Points line_of(std::span<const json> evaluations, const std::string& key) {
  Points points;
  for (const json& entry : evaluations) {
    points.emplace_back(number_of(entry, "step"), number_of(entry, key));
  }
  return points;
}

Axis axis_from_zero(const Points& points) {
  std::vector<double> heights = {0};
  for (const auto& [x, y] : points) heights.push_back(y);
  return axis_over(heights);
}

// Each point the mean of those around it, a 25th of all.
Points smoothed(const Points& points) {
  const std::size_t reach = points.size() / 50;
  Points means;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t begin = i - std::min(i, reach);
    const std::size_t end = std::min(points.size(), i + reach + 1);
    double sum = 0;
    for (std::size_t j = begin; j < end; ++j) sum += points[j].second;
    means.emplace_back(points[i].first, sum / static_cast<double>(end - begin));
  }
  return means;
}

// The line as it was, faint, and smoothed.
void draw_noisy(Chart& chart, const Points& points, std::string_view name) {
  chart.line(points, "first faint").line(smoothed(points), "first", name);
}

// Without the prefix that all results of an evaluation have.
std::string short_name(const std::string& key) {
  constexpr std::string_view kPrefix = "eval_";
  return key.starts_with(kPrefix) ? key.substr(kPrefix.size()) : key;
}

std::string evaluation_table(std::span<const json> evaluations, std::optional<std::size_t> best) {
  std::vector<std::string> keys;
  HtmlTable table{.columns = {{"step"}, {"epoch"}}, .best = best};
  for (const auto& [key, value] : evaluations.front().items()) {
    if (!tells_quality(key)) continue;
    keys.push_back(key);
    table.columns.push_back({html_escaped(short_name(key))});
  }
  table.columns.push_back({"", "name"});
  for (std::size_t i = 0; i < evaluations.size(); ++i) {
    std::vector<std::string> row = {html_number(number_of(evaluations[i], "step"), 0),
                                    html_number(number_of(evaluations[i], "epoch"), 2)};
    for (const std::string& key : keys) row.push_back(html_number(number_of(evaluations[i], key)));
    row.emplace_back(best == i ? "best" : "");
    table.rows.push_back(std::move(row));
  }
  return table.html();
}

}  // namespace

std::vector<json> evaluations_of(std::span<const json> log) {
  std::vector<json> evaluations;
  for (const json& entry : log) {
    if (entry.contains("eval_loss")) evaluations.push_back(entry);
  }
  return evaluations;
}

std::optional<std::size_t> best_evaluation(std::span<const json> evaluations,
                                           const Judgement& judgement) {
  std::optional<std::size_t> best;
  double highest = -INFINITY;
  for (std::size_t i = 0; i < evaluations.size(); ++i) {
    const double value = number_of(evaluations[i], judgement.key);
    const double goodness = judgement.greater_is_better ? value : -value;
    if (!(goodness > highest)) continue;  // NaN isn't
    best = i;
    highest = goodness;
  }
  return best;
}

bool tells_quality(const std::string& key) {
  return !is_speed(key) && key != "step" && key != "epoch";
}

std::string training_section(const TrainingCurve& curve, std::span<const json> log,
                             const Judgement& judgement) {
  const std::vector<TrainingCurve::Point> points = curve.points();
  const std::vector<json> evaluations = evaluations_of(log);
  const std::optional<std::size_t> best = best_evaluation(evaluations, judgement);
  double last_step = points.empty() ? 1 : points.back().step;
  for (const json& entry : evaluations) last_step = std::max(last_step, number_of(entry, "step"));
  const Axis steps = axis_of(0, last_step, "step");

  std::string text = "<h2>Training</h2>\n<div class=\"charts\">\n";
  const std::array<Points, 2> losses = {line_of(points, &TrainingCurve::Point::loss),
                                        line_of(evaluations, "eval_loss")};
  Chart loss("Loss", steps, axis_over_heights(losses));
  draw_noisy(loss, losses[0], "training");
  if (!evaluations.empty()) {
    loss.line(losses[1], "second", "evaluation").dots(losses[1], "second");
  }
  text += loss.html();
  if (best) {
    const Points values = line_of(evaluations, judgement.key);
    const auto& [step, value] = values[*best];
    Chart metric(fmt::format("{} by evaluation, best {:.4f} at step {:.0f}",
                             short_name(judgement.key), value, step),
                 steps, axis_over_heights(std::span(&values, 1)));
    metric.line(values, "third").dots(values, "third").ring(step, value);
    text += metric.html();
  }
  const Points rates = line_of(points, &TrainingCurve::Point::learning_rate);
  text += Chart("Learning rate", steps, axis_from_zero(rates)).line(rates, "first").html();
  const Points norms = line_of(points, &TrainingCurve::Point::gradient_norm);
  Chart norm("Gradient norm, before clipping", steps, axis_from_zero(norms));
  draw_noisy(norm, norms, {});
  text += norm.html();
  text += "</div>\n";
  if (evaluations.empty()) return text;
  return text + "<h3>Evaluations</h3>\n" + evaluation_table(evaluations, best);
}

}  // namespace tandem
