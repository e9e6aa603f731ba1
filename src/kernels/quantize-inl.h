// Between floats and the 8-bit integers of quantised products.
#if defined(TANDEM_KERNELS_QUANTIZE) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_KERNELS_QUANTIZE
#undef TANDEM_KERNELS_QUANTIZE
#else
#define TANDEM_KERNELS_QUANTIZE
#endif

#include "hwy/highway.h"
#include "kernels/table.h"
#include "kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::kernels::HWY_NAMESPACE {

struct Magnitudes {
  float largest;
  float sum;  // not finite when an element isn't
};

HWY_INLINE Magnitudes magnitudes_of(const float* x, std::int64_t count) {
  FloatVector largest = hn::Zero(kFloats);
  FloatVector sum = hn::Zero(kFloats);
  for_vectors(count, [&](auto vector, std::int64_t c) HWY_ATTR {
    const FloatVector magnitude = hn::Abs(vector.load(x + c));
    largest = hn::Max(largest, magnitude);
    sum = hn::Add(sum, magnitude);
  });
  return {hn::GetLane(hn::MaxOfLanes(kFloats, largest)), sum_of_lanes(sum)};
}

void quantize_rows(const float* x, const Extent& e, std::uint8_t* quantized, float* scale) {
  const hn::Rebind<std::uint8_t, FloatTag> bytes;
  const FloatVector zero_point = hn::Set(kFloats, float{kQuantizedZero});
  for (std::int64_t r = 0; r < e.rows; ++r) {
    const float* const row = x + r * e.stride;
    std::uint8_t* const to = quantized + r * e.cols;
    const Magnitudes magnitudes = magnitudes_of(row, e.cols);
    const QuantizedScale scales = scale_of_row(magnitudes.largest, magnitudes.sum);
    scale[r] = scales.scale;
    const float inverse = scales.inverse;
    if (inverse == 0) {
      for (std::int64_t c = 0; c < e.cols; ++c) to[c] = kQuantizedZero;
      continue;
    }
    const FloatVector factor = hn::Set(kFloats, inverse);
    std::int64_t c = 0;
    for (; c + kLanes <= e.cols; c += kLanes) {
      const FloatVector value = hn::Mul(hn::LoadU(kFloats, row + c), factor);
      const auto words = hn::NearestInt(hn::Add(value, zero_point));
      hn::StoreU(hn::DemoteTo(bytes, words), bytes, to + c);
    }
    for (; c < e.cols; ++c) {
      const auto word = hn::NearestInt(hn::Set(kFloats, row[c] * inverse + kQuantizedZero));
      to[c] = static_cast<std::uint8_t>(hn::GetLane(word));
    }
  }
}

void dequantize_tile(const std::int32_t* sums, const float* row_scale, const float* column_scale,
                     const std::int32_t* column_offset, const Extent& e, float* y) {
  const hn::RebindToSigned<FloatTag> integers;
  for (std::int64_t r = 0; r < e.rows; ++r) {
    const std::int32_t* const from = sums + r * e.cols;
    float* const to = y + r * e.stride;
    const FloatVector scale = hn::Set(kFloats, row_scale[r]);
    std::int64_t c = 0;
    for (; c + kLanes <= e.cols; c += kLanes) {
      const auto sum =
          hn::Sub(hn::LoadU(integers, from + c), hn::LoadU(integers, column_offset + c));
      const FloatVector factor = hn::Mul(scale, hn::LoadU(kFloats, column_scale + c));
      hn::StoreU(hn::Mul(hn::ConvertTo(kFloats, sum), factor), kFloats, to + c);
    }
    for (; c < e.cols; ++c) {
      to[c] = static_cast<float>(from[c] - column_offset[c]) * (row_scale[r] * column_scale[c]);
    }
  }
}

}  // namespace tandem::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
