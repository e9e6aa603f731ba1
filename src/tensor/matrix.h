#pragma once
// The program's only tensor type. Rank 1 is std::span.

#include <cstdint>
#include <span>
#include <type_traits>

namespace tandem {

// A view of rows x cols elements, row-major; owns nothing, costs nothing to copy.
template <class T>
struct Matrix {
  T* data = nullptr;
  std::int64_t rows = 0, cols = 0;
  std::int64_t stride = 0;  // elements from one row to the next, >= cols

  T* row(std::int64_t r) const { return data + r * stride; }
  // Rows [begin, end): one sequence of a packed batch.
  Matrix row_range(std::int64_t begin, std::int64_t end) const {
    return {data + begin * stride, end - begin, cols, stride};
  }
  // Columns [begin, end): one head, or Q, K or V of a fused row.
  Matrix col_range(std::int64_t begin, std::int64_t end) const {
    return {data + begin, rows, end - begin, stride};
  }
  // NOLINTNEXTLINE(google-explicit-constructor): what may change may also be only read
  operator Matrix<const T>() const requires(!std::is_const_v<T>) {
    return {data, rows, cols, stride};
  }
};

}  // namespace tandem
