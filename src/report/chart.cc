#include "report/chart.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/html.h"

namespace tandem {
namespace {

// The picture's own units; the plot's corner is at (kLeft, kBottom).
constexpr double kPictureWidth = 360, kPictureHeight = 250;
constexpr double kLeft = 48, kBottom = 208, kWidth = 298, kHeight = 194;

// The round number nearest to a fifth of the range: 1, 2 or 5 times a power of ten.
double round_step(double range) {
  constexpr double kTicks = 5;
  const double rough = range / kTicks;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (rough <= factor * power * (1 + 1e-9)) return factor * power;
  }
  return 10 * power;
}

std::vector<Axis::Tick> ticks_between(double low, double high) {
  const double step = round_step(high - low);
  const double slack = step * 1e-6;
  std::vector<Axis::Tick> ticks;
  for (double i = std::ceil((low - slack) / step); i * step <= high + slack; ++i) {
    // A tick at zero must not be shown as -0.
    const double value = std::abs(i) < 0.5 ? 0 : i * step;
    ticks.push_back({value, fmt::format("{:.6g}", value)});
  }
  return ticks;
}

}  // namespace

Axis axis_of(double low, double high, std::string label) {
  // Where the range is no more than a rounding error, ticks couldn't be told apart.
  const double size = std::max(std::abs(low), std::abs(high));
  if (!(high - low > 1e-9 * size)) {
    const double margin = size == 0 ? 1 : 0.1 * size;
    high = low + margin;
    if (size != 0) low -= margin;
  }
  return {.low = low, .high = high, .ticks = ticks_between(low, high), .label = std::move(label)};
}

Axis axis_over(std::span<const double> values, std::string label) {
  double low = INFINITY;
  double high = -INFINITY;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (low > high) return axis_of(0, 1, std::move(label));
  if (low == high) return axis_of(low, high, std::move(label));
  const double step = round_step(high - low);
  return axis_of(std::floor(low / step) * step, std::ceil(high / step) * step, std::move(label));
}

Axis axis_over_heights(std::span<const Points> lines, std::string label) {
  std::vector<double> heights;
  for (const Points& points : lines) {
    for (const auto& [x, y] : points) heights.push_back(y);
  }
  return axis_over(heights, std::move(label));
}

Points thinned(const Points& points, std::size_t most) {
  if (points.size() <= most || most < 2) return points;
  Points kept;
  for (std::size_t i = 0; i < most; ++i) {
    kept.push_back(points[i * (points.size() - 1) / (most - 1)]);
  }
  return kept;
}

Chart::Chart(std::string title, Axis x, Axis y)
    : title_(std::move(title)), x_(std::move(x)), y_(std::move(y)) {}

double Chart::across(double x) const { return kLeft + kWidth * (x - x_.low) / (x_.high - x_.low); }

double Chart::down(double y) const { return kBottom - kHeight * (y - y_.low) / (y_.high - y_.low); }

void Chart::add_to_legend(std::string_view style, std::string_view name, std::string_view shape) {
  if (name.empty()) return;
  legend_ += fmt::format("<li><svg width=\"24\" height=\"10\">");
  if (shape == "line") {
    legend_ += fmt::format("<path class=\"{}\" d=\"M0 5H24\"/>", style);
  } else if (shape == "dot") {
    legend_ += fmt::format("<circle class=\"{}\" cx=\"12\" cy=\"5\" r=\"4\"/>", style);
  } else {
    legend_ += fmt::format("<rect class=\"{}\" x=\"6\" width=\"12\" height=\"10\"/>", style);
  }
  legend_ += fmt::format("</svg>{}</li>", html_escaped(name));
}

Chart& Chart::line(const Points& points, std::string_view style, std::string_view name) {
  std::string path;
  bool drawing = false;
  for (const auto& [x, y] : points) {
    const bool known = std::isfinite(x) && std::isfinite(y);
    if (known) path += fmt::format("{}{:.1f} {:.1f}", drawing ? 'L' : 'M', across(x), down(y));
    drawing = known;
  }
  if (!path.empty()) content_ += fmt::format("<path class=\"{}\" d=\"{}\"/>\n", style, path);
  add_to_legend(style, name, "line");
  return *this;
}

Chart& Chart::dots(const Points& points, std::string_view style, std::string_view name) {
  constexpr std::size_t kMany = 100;
  const bool many = points.size() > kMany;
  for (const auto& [x, y] : points) {
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    const std::string place = fmt::format("cx=\"{:.1f}\" cy=\"{:.1f}\"", across(x), down(y));
    content_ += many ? fmt::format("<circle class=\"{} many\" {} r=\"2.5\"/>\n", style, place)
                     : fmt::format(
                           "<circle class=\"{}\" {} r=\"3.5\"><title>{:.6g}: {:.6g}</title>"
                           "</circle>\n",
                           style, place, x, y);
  }
  add_to_legend(style, name, "dot");
  return *this;
}

Chart& Chart::bars(const Points& bars, std::string_view style, std::string_view name) {
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const auto& [x, y] = bars[i];
    const double end = i + 1 < bars.size() ? bars[i + 1].first : x_.high;
    if (!std::isfinite(y) || y == 0) continue;
    content_ += fmt::format(
        "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"><title>"
        "{:.6g} to {:.6g}: {:.6g}</title></rect>\n",
        style, across(x) + 0.5, down(y), std::max(0.5, across(end) - across(x) - 1),
        down(y_.low) - down(y), x, end, y);
  }
  add_to_legend(style, name, "bar");
  return *this;
}

Chart& Chart::ring(double x, double y) {
  if (!std::isfinite(x) || !std::isfinite(y)) return *this;
  content_ += fmt::format("<circle class=\"best\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"6\"/>\n",
                          across(x), down(y));
  return *this;
}

std::string Chart::axes() const {
  std::string text;
  for (const Axis::Tick& tick : y_.ticks) {
    text += fmt::format(
        "<path class=\"grid\" d=\"M{0} {1:.1f}H{2}\"/><text x=\"{3}\" y=\"{4:.1f}\" "
        "text-anchor=\"end\">{5}</text>\n",
        kLeft, down(tick.value), kLeft + kWidth, kLeft - 6, down(tick.value) + 4,
        html_escaped(tick.text));
  }
  for (const Axis::Tick& tick : x_.ticks) {
    text += fmt::format(
        "<path class=\"axis\" d=\"M{0:.1f} {1}v4\"/><text x=\"{0:.1f}\" y=\"{2}\" "
        "text-anchor=\"middle\">{3}</text>\n",
        across(tick.value), kBottom, kBottom + 17, html_escaped(tick.text));
  }
  text += fmt::format("<path class=\"axis\" d=\"M{} {}H{}\"/>\n", kLeft, kBottom, kLeft + kWidth);
  if (!x_.label.empty()) {
    text += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                        kLeft + kWidth / 2, kBottom + 35, html_escaped(x_.label));
  }
  return text;
}

std::string Chart::html() const {
  std::string text = fmt::format(
      "<figure><figcaption>{0}</figcaption>\n<svg class=\"chart\" viewBox=\"0 0 {1} {2}\" "
      "role=\"img\" aria-label=\"{0}\">\n",
      html_escaped(title_), kPictureWidth, kPictureHeight);
  text += axes() + content_ + "</svg>\n";
  if (!y_.label.empty())
    text += fmt::format("<div class=\"soft\">{}</div>\n", html_escaped(y_.label));
  if (!legend_.empty()) text += "<ul class=\"legend soft\">" + legend_ + "</ul>\n";
  return text + "</figure>\n";
}

}  // namespace tandem
