// Whole and partial vectors of floats, read from and written to memory that holds fp32 or bf16: one
// loop body serves both types, and both a row's middle and its end.
#if defined(TANDEM_KERNELS_VECTORS) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_KERNELS_VECTORS
#undef TANDEM_KERNELS_VECTORS
#else
#define TANDEM_KERNELS_VECTORS
#endif

#include <type_traits>

#include "hwy/highway.h"
#include "kernels/table.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::ScalableTag<float>;
using FloatVector = hn::Vec<FloatTag>;
constexpr FloatTag kFloats;
constexpr std::int64_t kLanes = static_cast<std::int64_t>(hn::MaxLanes(FloatTag()));

using BitsTag = hn::RebindToUnsigned<FloatTag>;
using HalfTag = hn::Rebind<std::uint16_t, FloatTag>;

HWY_INLINE FloatVector widen(hn::Vec<HalfTag> halves) {
  const BitsTag bits;
  return hn::BitCast(kFloats, hn::ShiftLeft<16>(hn::PromoteTo(bits, halves)));
}

// As round_to<BFloat16> in base/bf16.h; Highway's own conversion cuts off.
HWY_INLINE hn::Vec<HalfTag> round_to_bf16(FloatVector value) {
  const BitsTag words;
  const auto bits = hn::BitCast(words, value);
  const auto upper = hn::ShiftRight<16>(bits);
  const auto odd = hn::And(upper, hn::Set(words, 1));
  const auto half = hn::Add(odd, hn::Set(words, 0x7FFF));
  const auto rounded = hn::ShiftRight<16>(hn::Add(bits, half));
  const auto quiet = hn::Or(upper, hn::Set(words, 0x40));
  const auto chosen = hn::IfThenElse(hn::RebindMask(words, hn::IsNaN(value)), quiet, rounded);
  return hn::DemoteTo(HalfTag(), hn::BitCast(hn::RebindToSigned<BitsTag>(), chosen));
}

// What is read back of a value that is stored as T.
template <class T>
HWY_INLINE FloatVector as_stored(FloatVector value) {
  if constexpr (std::is_same_v<T, float>) {
    return value;
  } else {
    return widen(round_to_bf16(value));
  }
}

struct WholeVector {
  FloatVector load(const float* from) const { return hn::LoadU(kFloats, from); }
  FloatVector load(const BFloat16* from) const { return widen(hn::LoadU(HalfTag(), &from->bits)); }
  void store(FloatVector value, float* to) const { hn::StoreU(value, kFloats, to); }
  void store(FloatVector value, BFloat16* to) const {
    hn::StoreU(round_to_bf16(value), HalfTag(), &to->bits);
  }
};

// The first few lanes; the others load as zero and aren't stored.
struct PartialVector {
  std::int64_t count;
  hn::Mask<FloatTag> mask;
  explicit PartialVector(std::int64_t lanes)
      : count(lanes), mask(hn::FirstN(kFloats, static_cast<std::size_t>(lanes))) {}
  FloatVector load(const float* from) const { return hn::MaskedLoad(mask, kFloats, from); }
  void store(FloatVector value, float* to) const { hn::BlendedStore(value, mask, kFloats, to); }
  // AVX2 has no masks for 16 bits, and reading beyond the end isn't allowed.
  FloatVector load(const BFloat16* from) const {
    HWY_ALIGN std::uint16_t lanes[kLanes] = {};
    for (std::int64_t i = 0; i < count; ++i) lanes[i] = from[i].bits;
    return widen(hn::Load(HalfTag(), lanes));
  }
  void store(FloatVector value, BFloat16* to) const {
    HWY_ALIGN std::uint16_t lanes[kLanes];
    hn::Store(round_to_bf16(value), HalfTag(), lanes);
    for (std::int64_t i = 0; i < count; ++i) to[i].bits = lanes[i];
  }
};

// body(vector, i) for i = 0, kLanes, ... below count.
template <class Body>
HWY_INLINE void for_vectors(std::int64_t count, Body&& body) {
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) body(WholeVector(), i);
  if (i < count) body(PartialVector(count - i), i);
}

// to[0..count) = from[0..count), of the other type.
template <class From, class To>
HWY_INLINE void convert_row(const From* from, std::int64_t count, To* to) {
  for_vectors(count, [&](auto vector, std::int64_t i)
                         HWY_ATTR { vector.store(vector.load(from + i), to + i); });
}

HWY_INLINE float sum_of_lanes(FloatVector value) {
  return hn::GetLane(hn::SumOfLanes(kFloats, value));
}

}  // namespace tandem::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
