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
  sum_ = plus(sum_, update);
  if (++updates_of_last_ < updates_of_point_) return;
  complete_.push_back(times(sum_, 1 / static_cast<double>(updates_of_point_)));
  sum_ = {};
  updates_of_last_ = 0;
  if (complete_.size() < kMostPoints) return;
  for (std::size_t i = 0; i < kMostPoints / 2; ++i) {
    complete_[i] = times(plus(complete_[2 * i], complete_[2 * i + 1]), 0.5);
  }
  complete_.resize(kMostPoints / 2);
  updates_of_point_ *= 2;
}

std::vector<TrainingCurve::Point> TrainingCurve::points() const {
  std::vector<Point> all = complete_;
  if (updates_of_last_ > 0) all.push_back(times(sum_, 1 / static_cast<double>(updates_of_last_)));
  return all;
}

}  // namespace tandem
