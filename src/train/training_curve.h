#pragma once
// How loss, gradient norm and learning rate went over a run, in few enough points to be drawn.

#include <cstdint>
#include <utility>
#include <vector>

namespace tandem {

// Means over as many consecutive updates as it takes to have no more than kMostPoints of them.
class TrainingCurve {
 public:
  static constexpr std::size_t kMostPoints = 300;

  struct Point {
    double step = 0;  // updates done, at the middle of those that the point is of
    double loss = 0, gradient_norm = 0, learning_rate = 0;
  };
  // All that there is to a curve, so that a run can be gone on with.
  struct State {
    std::int64_t updates_of_point = 1;
    std::int64_t updates_of_last = 0;
    std::vector<Point> complete;
    Point sum;  // of the last point's updates so far
  };
  TrainingCurve() = default;
  explicit TrainingCurve(State state) : state_(std::move(state)) {}
  const State& state() const { return state_; }

  // `step` is the number of updates done, this one included. A longer run halves the points that
  // there are.
  void add(const Point& update);

  // Those updates that don't fill a point yet have one as well.
  std::vector<Point> points() const;

 private:
  State state_;
};

}  // namespace tandem
