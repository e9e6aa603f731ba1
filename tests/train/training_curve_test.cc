#include "train/training_curve.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TrainingCurve curve_of(int updates) {
  TrainingCurve curve;
  for (int i = 1; i <= updates; ++i) {
    curve.add({.step = 1.0 * i, .loss = 2.0 * i, .gradient_norm = 1, .learning_rate = 3});
  }
  return curve;
}

TEST(TrainingCurve, AShortRunHasAPointForEachUpdate) {
  EXPECT_TRUE(curve_of(0).points().empty());
  const auto points = curve_of(3).points();
  ASSERT_EQ(points.size(), 3U);
  EXPECT_EQ(points[2].step, 3);
  EXPECT_EQ(points[2].loss, 6);
}

TEST(TrainingCurve, ALongOneHasMeansOfAllUpdates) {
  for (const int updates : {299, 300, 301, 1000, 12345}) {
    SCOPED_TRACE(updates);
    const auto points = curve_of(updates).points();
    EXPECT_LE(points.size(), TrainingCurve::kMostPoints);
    EXPECT_GE(points.size(), TrainingCurve::kMostPoints / 2);
    for (std::size_t i = 0; i < points.size(); ++i) {
      EXPECT_DOUBLE_EQ(points[i].loss, 2 * points[i].step);
      EXPECT_DOUBLE_EQ(points[i].learning_rate, 3);
      if (i == 0) continue;
      EXPECT_GT(points[i].step, points[i - 1].step);
    }
    // The first point is in the middle of as many updates as are between two points.
    EXPECT_DOUBLE_EQ(points[1].step - points[0].step, 2 * points[0].step - 1);
    EXPECT_LE(points.back().step, updates);
    EXPECT_GT(points.back().step, updates * 0.98);
  }
}

}  // namespace
}  // namespace tandem
