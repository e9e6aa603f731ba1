#pragma once
// Rows of activations for tests of kernels: both types, widths around the vector lengths, gaps
// between rows, and how near the results of two kernel sets must be.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "base/bf16.h"
#include "kernels/table.h"
#include "support/random_floats.h"

namespace tandem::testing {

inline constexpr std::int64_t kWidths[] = {1, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 100, 768};
inline constexpr std::int64_t kRows = 5;
inline constexpr std::int64_t kGap = 3;         // between rows, to be left as it is
inline constexpr float kGapValue = 0x1p100F;    // a sum that takes it in is seen to be wrong
inline constexpr double kFp32Tolerance = 2e-6;  // a sum of at most 768 products of numbers around 1

// body<T>() for activations of fp32 and of bf16.
template <class Body>
void for_each_type(const Body& body) {
  {
    SCOPED_TRACE("fp32");
    body.template operator()<float>();
  }
  {
    SCOPED_TRACE("bf16");
    body.template operator()<BFloat16>();
  }
}

// body<T>(extent) for both types and every width.
template <class Body>
void for_each_type_and_width(const Body& body) {
  for_each_type([&]<class T>() {
    for (const std::int64_t cols : kWidths) {
      SCOPED_TRACE(cols);
      body.template operator()<T>(kernels::Extent{kRows, cols, cols + kGap});
    }
  });
}

// Rows for a kernel to fill.
template <class T>
std::vector<T> empty_rows(const kernels::Extent& extent) {
  return std::vector<T>(static_cast<std::size_t>(extent.rows * extent.stride),
                        round_to<T>(kGapValue));
}

template <class T>
std::vector<T> random_rows(const kernels::Extent& extent, std::uint32_t seed, float deviation = 1) {
  auto rows = random_values<T>(extent.rows * extent.stride, seed, deviation);
  for (std::int64_t r = 0; r < extent.rows; ++r) {
    std::fill_n(rows.begin() + r * extent.stride + extent.cols, extent.stride - extent.cols,
                round_to<T>(kGapValue));
  }
  return rows;
}

// Each element of fp32 may differ by `tolerance` of the largest value (at least of 1). One of bf16
// may besides be the neighbour of the expected one, 2^-7 of its magnitude away at most: what lies
// between two values of bf16 is rounded the other way after a difference of fp32. As that is much
// smaller than their distance, it befalls few elements; cutting off instead of rounding changes
// half of them.
template <class T>
void expect_close(const std::vector<T>& actual, const std::vector<T>& expected,
                  const kernels::Extent& extent, double tolerance = kFp32Tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  double largest = 1;
  const auto for_each_element = [&](const auto& body) {
    for (std::int64_t i = 0; i < std::ssize(expected); ++i) {
      if (i % extent.stride < extent.cols) body(static_cast<std::size_t>(i));
    }
  };
  for_each_element(
      [&](std::size_t i) { largest = std::max(largest, std::abs(double{to_float(expected[i])})); });
  std::int64_t neighbours = 0;
  for_each_element([&](std::size_t i) {
    const double value = to_float(expected[i]);
    const double difference = std::abs(to_float(actual[i]) - value);
    const double spacing = std::is_same_v<T, float> ? 0 : std::abs(value) * 0x1p-7;
    ASSERT_LE(difference, tolerance * largest + spacing)
        << "element " << i << ": " << to_float(actual[i]) << " instead of " << value;
    if (difference > tolerance * largest) ++neighbours;
  });
  EXPECT_LE(neighbours, 1 + extent.rows * extent.cols / 50);
  for (std::int64_t i = 0; i < std::ssize(actual); ++i) {
    if (i % extent.stride < extent.cols) continue;
    ASSERT_EQ(to_float(actual[static_cast<std::size_t>(i)]), kGapValue) << "gap at " << i;
  }
}

inline void expect_close(const std::vector<float>& actual, const std::vector<float>& expected,
                         double tolerance = kFp32Tolerance) {
  const std::int64_t count = std::ssize(expected);
  expect_close(actual, expected, {1, count, count}, tolerance);
}

}  // namespace tandem::testing
