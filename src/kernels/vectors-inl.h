// Whole and partial vectors: one loop body serves both a row's middle and its end.
#if defined(TANDEM_KERNELS_VECTORS) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_KERNELS_VECTORS
#undef TANDEM_KERNELS_VECTORS
#else
#define TANDEM_KERNELS_VECTORS
#endif

#include "hwy/highway.h"
#include "kernels/table.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::ScalableTag<float>;
using FloatVector = hn::Vec<FloatTag>;
constexpr FloatTag kFloats;
constexpr std::int64_t kLanes = static_cast<std::int64_t>(hn::MaxLanes(FloatTag()));

struct WholeVector {
  FloatVector load(const float* from) const { return hn::LoadU(kFloats, from); }
  void store(FloatVector value, float* to) const { hn::StoreU(value, kFloats, to); }
};

// The first few lanes; the others load as zero and aren't stored.
struct PartialVector {
  hn::Mask<FloatTag> mask;
  explicit PartialVector(std::int64_t count)
      : mask(hn::FirstN(kFloats, static_cast<std::size_t>(count))) {}
  FloatVector load(const float* from) const { return hn::MaskedLoad(mask, kFloats, from); }
  void store(FloatVector value, float* to) const { hn::BlendedStore(value, mask, kFloats, to); }
};

// body(vector, i) for i = 0, kLanes, ... below count.
template <class Body>
HWY_INLINE void for_vectors(std::int64_t count, Body&& body) {
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) body(WholeVector(), i);
  if (i < count) body(PartialVector(count - i), i);
}

HWY_INLINE float sum_of_lanes(FloatVector value) {
  return hn::GetLane(hn::SumOfLanes(kFloats, value));
}

}  // namespace tandem::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
