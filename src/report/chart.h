#pragma once
// Charts as inline SVG: lines, points and bars over two axes.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem {

using Points = std::vector<std::pair<double, double>>;  // x, y

struct Axis {
  struct Tick {
    double value;
    std::string text;
  };
  double low = 0, high = 1;
  std::vector<Tick> ticks = {};
  std::string label = {};
};

// From `low` to `high`, which are taken as they are, with about five round ticks between them. An
// axis of no length gets one.
Axis axis_of(double low, double high, std::string label = {});

// The same over values, those that aren't finite left out, its ends at round numbers.
Axis axis_over(std::span<const double> values, std::string label = {});
// Over the second of each pair of all these lines.
Axis axis_over_heights(std::span<const Points> lines, std::string label = {});

// At most `most` of the points, evenly by their place, the first and the last among them.
Points thinned(const Points& points, std::size_t most);

class Chart {
 public:
  // `title` stands above the chart, plain text.
  Chart(std::string title, Axis x, Axis y);

  // A line's or bar's `style` is a colour of the page, "first" to "fourth", or "ideal" for a dashed
  // line; a line may be "faint" as well. With a name it is in the legend. A point that isn't finite
  // interrupts a line.
  Chart& line(const Points& points, std::string_view style, std::string_view name = {});
  // Each with its numbers as a tooltip; more than a hundred are translucent, and have none.
  Chart& dots(const Points& points, std::string_view style, std::string_view name = {});
  // A bar from x to the next bar's x, the last one to the axis' end, of height y.
  Chart& bars(const Points& bars, std::string_view style, std::string_view name = {});
  // A ring around a point.
  Chart& ring(double x, double y);

  // <figure> with caption, picture and legend.
  std::string html() const;

 private:
  double across(double x) const;
  double down(double y) const;
  void add_to_legend(std::string_view style, std::string_view name, std::string_view shape);
  std::string axes() const;

  std::string title_;
  Axis x_, y_;
  std::string content_;
  std::string legend_;
};

}  // namespace tandem
