#include "nn/quantized_linear.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"

namespace tandem {
namespace {

constexpr std::int64_t kRows = OneDnnInt8Product::kRows;

// What the zero point of the rows adds to the sums of each output.
std::vector<std::int32_t> zero_point_sums(const QuantizedWeight& weight) {
  std::vector<std::int32_t> sums;
  for (std::int64_t o = 0; o < weight.rows; ++o) {
    std::int32_t sum = 0;
    for (std::int64_t i = 0; i < weight.cols; ++i) {
      sum += weight.values[static_cast<std::size_t>(o * weight.cols + i)];
    }
    sums.push_back(sum * kernels::kQuantizedZero);
  }
  return sums;
}

}  // namespace

QuantizedWeight quantize_weight(Matrix<const float> weight) {
  QuantizedWeight result{.rows = weight.rows, .cols = weight.cols, .values = {}, .scale = {}};
  for (std::int64_t o = 0; o < weight.rows; ++o) {
    const std::span row(weight.row(o), static_cast<std::size_t>(weight.cols));
    float largest = 0;
    for (const float value : row) largest = std::max(largest, std::abs(value));
    const float scale = largest / kernels::kQuantizedLimit;
    result.scale.push_back(scale);
    for (const float value : row) {
      const float quantized = scale > 0 ? std::nearbyint(value / scale) : 0;
      result.values.push_back(static_cast<std::int8_t>(quantized));
    }
  }
  return result;
}

QuantizedLinear::QuantizedLinear(const QuantizedWeight& weight)
    : out_(weight.rows),
      in_(weight.cols),
      scale_(weight.scale),
      offset_(zero_point_sums(weight)),
      product_(weight.rows, weight.cols, weight.values) {}

void QuantizedLinear::multiply(Matrix<const float> x, Matrix<float> y, const Step& step,
                               const TileDone<float>& tile_done) const {
  TANDEM_CHECK(x.cols == in_ && y.cols == out_ && x.rows == y.rows, "x {} x {}, y {} x {}", x.rows,
               x.cols, y.rows, y.cols);
  const ArenaScope scope(step.arena);
  // One row of each matrix for each thread.
  const auto of_worker = [&]<class T>(std::int64_t count, T) {
    return Matrix<T>{step.arena.vector<T>(step.pool.size() * count).data(), step.pool.size(), count,
                     count};
  };
  const Matrix<std::uint8_t> rows = of_worker(kRows * in_, std::uint8_t{});
  const Matrix<std::int32_t> sums = of_worker(kRows * out_, std::int32_t{});
  const Matrix<float> scales = of_worker(kRows, float{});
  const Matrix<std::byte> workspaces = of_worker(product_.workspace_bytes(), std::byte{});
  step.run((x.rows + kRows - 1) / kRows, [&](std::int64_t task, int worker) {
    const std::int64_t begin = task * kRows;
    const std::int64_t end = std::min(begin + kRows, x.rows);
    // The last tile's other rows are what a tile before it left; their results are not used.
    step.kernels.quantize_rows(x.row(begin), extent_of(x, begin, end), rows.row(worker),
                               scales.row(worker));
    product_.multiply(rows.row(worker), sums.row(worker), workspaces.row(worker));
    step.kernels.dequantize_tile(sums.row(worker), scales.row(worker), scale_.data(),
                                 offset_.data(), extent_of(y, begin, end), y.row(begin));
    if (tile_done) tile_done({y.row(begin), y.stride}, y.row_range(begin, end), begin, 0);
  });
}

QuantizedWeights::QuantizedWeights(Weights all, std::span<const ParamSlice> weights) {
  // Sums of more products of a byte with 127 could overflow.
  constexpr std::int64_t kMostInputs = std::numeric_limits<std::int32_t>::max() / (255 * 127);
  for (const ParamSlice& weight : weights) {
    if (weight.cols > kMostInputs) continue;
    maps_.emplace(weight.offset, QuantizedLinear(quantize_weight(all.matrix(weight))));
  }
}

const QuantizedLinear* QuantizedWeights::find(const ParamSlice& weight) const {
  const auto found = maps_.find(weight.offset);
  return found == maps_.end() ? nullptr : &found->second;
}

}  // namespace tandem
