#include "train/training_curve.h"

namespace tandem {
namespace {

TrainingCurve::Point plus(const TrainingCurve::Point& a, const TrainingCurve::Point& b) {
  return {.step = a.step + b.step,
          .loss = a.loss + b.loss,
          .gradient_norm = a.gradient_norm + b.gradient_norm,
          .learning_rate = a.learning_rate + b.learning_rate};
}

TrainingCurve::Point times(const TrainingCurve::Point& point, double factor) {
  return {.step = point.step * factor,
          .loss = point.loss * factor,
          .gradient_norm = point.gradient_norm * factor,
          .learning_rate = point.learning_rate * factor};
}

}  // namespace

void TrainingCurve::add(const Point& update) {
  auto& [updates_of_point, updates_of_last, complete, sum] = state_;
  sum = plus(sum, update);
  if (++updates_of_last < updates_of_point) return;
  complete.push_back(times(sum, 1 / static_cast<double>(updates_of_point)));
  sum = {};
  updates_of_last = 0;
  if (complete.size() < kMostPoints) return;
  for (std::size_t i = 0; i < kMostPoints / 2; ++i) {
    complete[i] = times(plus(complete[2 * i], complete[2 * i + 1]), 0.5);
  }
  complete.resize(kMostPoints / 2);
  updates_of_point *= 2;
}

std::vector<TrainingCurve::Point> TrainingCurve::points() const {
  std::vector<Point> all = state_.complete;
  if (state_.updates_of_last > 0) {
    all.push_back(times(state_.sum, 1 / static_cast<double>(state_.updates_of_last)));
  }
  return all;
}

}  // namespace tandem
