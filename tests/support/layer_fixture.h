#pragma once
// What a layer needs to run in a test: a small packed batch, parameters, and a step.

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "nn/compute.h"
#include "nn/params.h"
#include "nn/step.h"
#include "support/kernels_under_test.h"
#include "support/random_floats.h"

namespace tandem::testing {

inline double dot(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += double{a[i]} * double{b[i]};
  return sum;
}

// Three sequences of 5, 1 and 7 tokens.
class LayerFixture {
 public:
  LayerFixture() : compute_(kernels_under_test(), 2), arena_(1 << 26) {
    for (std::size_t b = 0; b < 3; ++b) {
      for (std::int32_t t = starts[b]; t < starts[b + 1]; ++t) {
        positions_.push_back(t - starts[b]);
        samples_.push_back(sequence_samples_[b]);
      }
    }
  }

  Step step(Dropout dropout = {}) {
    return {.kernels = compute_.kernels(),
            .pool = compute_.pool(),
            .gemm = compute_.gemm(),
            .arena = arena_,
            .dropout = dropout,
            .batch = {.all = {starts, positions_, samples_},
                      .first = {first_starts_, first_positions_, sequence_samples_}}};
  }
  std::int64_t tokens() const { return starts.back(); }

  // A matrix of its own memory in the arena, with random elements.
  Matrix<float> random_matrix(std::int64_t rows, std::int64_t cols, std::uint32_t seed) {
    const Matrix<float> matrix = arena_.matrix<float>(rows, cols);
    const std::vector<float> numbers = random_floats(rows * cols, seed);
    for (std::int64_t r = 0; r < rows; ++r) {
      std::copy_n(numbers.begin() + r * cols, cols, matrix.row(r));
    }
    return matrix;
  }

  const std::vector<std::int32_t> starts = {0, 5, 6, 13};

 private:
  Compute compute_;
  Arena arena_;
  std::vector<std::int32_t> positions_;
  std::vector<std::uint32_t> samples_;
  const std::vector<std::int32_t> first_starts_ = {0, 1, 2, 3};
  const std::vector<std::int32_t> first_positions_ = {0, 0, 0};
  const std::vector<std::uint32_t> sequence_samples_ = {4, 17, 2};
};

inline const Dropout kTestDropout{.enabled = true, .seed = 3, .step = 5};

inline std::span<float> elements(Matrix<float> matrix) {
  TANDEM_CHECK(matrix.stride == matrix.cols, "a matrix with gaps between its rows");
  return {matrix.data, static_cast<std::size_t>(matrix.rows * matrix.cols)};
}

// Checks a gradient against central differences of `loss` along a random direction in `variable`:
// (loss(x + εv) - loss(x - εv)) / 2ε = gradient · v. fp32 values of size 1 leave about 1e-7 / ε in
// the left side and the third derivative about ε²; ε = 4e-3 makes both small against 2e-3.
inline void expect_gradient(std::span<float> variable, std::span<const float> gradient,
                            const std::function<double()>& loss, double tolerance = 2e-3) {
  ASSERT_EQ(variable.size(), gradient.size());
  constexpr float kEpsilon = 4e-3F;
  const std::vector<float> original(variable.begin(), variable.end());
  // Along the gradient itself and along a random direction: the first has no cancellation.
  const double norm = std::sqrt(dot(gradient, gradient));
  for (const std::uint32_t seed : {0U, 91U}) {
    std::vector<float> direction = random_floats(static_cast<std::int64_t>(original.size()), seed);
    if (seed == 0) {
      const double scale = std::sqrt(static_cast<double>(original.size())) / norm;
      for (std::size_t i = 0; i < direction.size(); ++i) {
        direction[i] = static_cast<float>(double{gradient[i]} * scale);
      }
    }
    double sides[2];
    for (const int side : {0, 1}) {
      const float epsilon = side == 0 ? -kEpsilon : kEpsilon;
      for (std::size_t i = 0; i < original.size(); ++i) {
        variable[i] = original[i] + epsilon * direction[i];
      }
      sides[side] = loss();
    }
    std::ranges::copy(original, variable.begin());
    const double numeric = (sides[1] - sides[0]) / (2 * double{kEpsilon});
    const double length = std::sqrt(dot(direction, direction));
    EXPECT_NEAR(numeric, dot(gradient, direction), tolerance * (norm * length + 1e-3))
        << (seed == 0 ? "along the gradient" : "along a random direction");
  }
}

// Random weights for a table, and gradients that hold garbage until a backward overwrites them.
struct RandomParams {
  explicit RandomParams(const ParamTable& table, float deviation = 0.3F)
      : weights(random_floats(table.floats(), 1, deviation)),
        gradients(static_cast<std::size_t>(table.floats()), 1e3F) {}
  std::vector<float> weights, gradients;
  LayerWeights<float> weights_view() const { return fp32_weights(weights); }
  Gradients gradients_view() { return {gradients}; }
};

// Checks every parameter's gradient as expect_gradient does.
inline void expect_parameter_gradients(const ParamTable& table, RandomParams& params,
                                       const std::function<double()>& loss) {
  const std::vector<float> gradients = params.gradients;
  for (const ParamInfo& param : table.all()) {
    SCOPED_TRACE(param.name);
    const auto at = static_cast<std::size_t>(param.slice.offset);
    const auto size = static_cast<std::size_t>(param.slice.size());
    expect_gradient(std::span(params.weights).subspan(at, size),
                    std::span(gradients).subspan(at, size), loss);
  }
}

}  // namespace tandem::testing
