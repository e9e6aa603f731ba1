#include "report/chart.h"

#include <cmath>

#include <gtest/gtest.h>

namespace tandem {
namespace {

std::vector<std::string> texts_of(const Axis& axis) {
  std::vector<std::string> texts;
  for (const Axis::Tick& tick : axis.ticks) texts.push_back(tick.text);
  return texts;
}

using Texts = std::vector<std::string>;

TEST(Axis, TicksAreRound) {
  EXPECT_EQ(texts_of(axis_of(0, 1)), (Texts{"0", "0.2", "0.4", "0.6", "0.8", "1"}));
  EXPECT_EQ(texts_of(axis_of(0, 345)), (Texts{"0", "100", "200", "300"}));
  EXPECT_EQ(texts_of(axis_of(-1, 1)), (Texts{"-1", "-0.5", "0", "0.5", "1"}));
  EXPECT_EQ(texts_of(axis_of(0, 5e-5)), (Texts{"0", "1e-05", "2e-05", "3e-05", "4e-05", "5e-05"}));
}

TEST(Axis, OverValuesEndsAtRoundNumbers) {
  const std::vector<double> values = {0.31, NAN, 0.68, INFINITY};
  const Axis axis = axis_over(values);
  EXPECT_DOUBLE_EQ(axis.low, 0.3);
  EXPECT_DOUBLE_EQ(axis.high, 0.7);
}

TEST(Axis, AlwaysHasALength) {
  for (const auto& [low, high] :
       {std::pair{0.0, 0.0}, {3.0, 3.0}, {-2.0, -2.0}, {1e18, 1e18 + 256}, {5.0, 4.0}}) {
    const Axis axis = axis_of(low, high);
    EXPECT_LT(axis.low, axis.high);
    EXPECT_LT(axis.ticks.size(), 20U);
    EXPECT_GE(axis.ticks.size(), 2U);
  }
  const std::vector<double> none = {NAN};
  EXPECT_LT(axis_over(none).low, axis_over(none).high);
}

TEST(Thinned, KeepsTheEnds) {
  Points points;
  for (int i = 0; i < 1000; ++i) points.emplace_back(i, i);
  const Points kept = thinned(points, 10);
  EXPECT_EQ(kept.size(), 10U);
  EXPECT_EQ(kept.front().first, 0);
  EXPECT_EQ(kept.back().first, 999);
  EXPECT_EQ(thinned(points, 1000).size(), 1000U);
}

TEST(Chart, ALineIsInterruptedWhereThereIsNoNumber) {
  Chart chart("t", axis_of(0, 4), axis_of(0, 1));
  chart.line({{0, 0}, {1, 1}, {2, NAN}, {3, 0}, {4, 1}}, "first");
  const std::string html = chart.html();
  EXPECT_NE(html.find("d=\"M48.0 208.0L122.5 14.0M271.5 208.0L346.0 14.0\""), html.npos) << html;
  EXPECT_EQ(html.find("nan"), html.npos);
}

TEST(Chart, EscapesItsTexts) {
  Axis x = axis_of(0, 1, "x<y");
  Chart chart("a<b", x, axis_of(0, 1, "&"));
  chart.line({{0, 0}}, "first", "<name>");
  const std::string html = chart.html();
  for (const char* const text : {"a&lt;b</figcaption>", "x&lt;y", "&lt;name&gt;", "&amp;"}) {
    EXPECT_NE(html.find(text), html.npos) << text;
  }
}

TEST(Chart, ManyDotsHaveNoTooltips) {
  Points points(101, {0.5, 0.5});
  Chart many("t", axis_of(0, 1), axis_of(0, 1));
  EXPECT_EQ(many.dots(points, "first").html().find("<title>"), std::string::npos);
  points.pop_back();
  Chart few("t", axis_of(0, 1), axis_of(0, 1));
  EXPECT_NE(few.dots(points, "first").html().find("<title>0.5: 0.5</title>"), std::string::npos);
}

}  // namespace
}  // namespace tandem
