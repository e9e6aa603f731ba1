#pragma once
// The 16-bit floats of deep learning: the upper half of an IEEE binary32.

#include <bit>
#include <cstdint>

namespace tandem {

// bfloat16 (Kalamkar et al. 2019, arXiv:1905.12322). No arithmetic: it is widened, and rounded to.
struct BFloat16 {
  std::uint16_t bits;
  friend bool operator==(BFloat16, BFloat16) = default;
};

inline float to_float(float value) { return value; }
inline float to_float(BFloat16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

// The nearest T, the even one of two that are equally near. NaN stays NaN.
template <class T>
T round_to(float value);

template <>
inline float round_to<float>(float value) {
  return value;
}
template <>
inline BFloat16 round_to<BFloat16>(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (value != value) return {static_cast<std::uint16_t>(bits >> 16 | 0x40U)};
  return {static_cast<std::uint16_t>((bits + 0x7FFFU + (bits >> 16 & 1U)) >> 16)};
}

}  // namespace tandem
