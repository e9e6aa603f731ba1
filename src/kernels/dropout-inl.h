// Dropout masks from Philox4x32-10, sixteen or eight blocks at a time.
#if defined(TANDEM_KERNELS_DROPOUT) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_KERNELS_DROPOUT
#undef TANDEM_KERNELS_DROPOUT
#else
#define TANDEM_KERNELS_DROPOUT
#endif

#include "hwy/highway.h"
#include "kernels/table.h"
#include "kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::kernels::HWY_NAMESPACE {

using WordTag = hn::ScalableTag<std::uint32_t>;
using WordVector = hn::Vec<WordTag>;
constexpr WordTag kWords;
constexpr std::int64_t kDropoutGroup = 64;  // elements that share 16 Philox blocks

struct WordPair {
  WordVector high, low;
};

// The 64-bit products of each lane with a constant, as high and low words. With AVX-512 the low
// words come from the same two products: a 32-bit multiplication costs as much as both.
HWY_INLINE WordPair multiply_wide(WordVector a, WordVector b) {
  const hn::Repartition<std::uint64_t, WordTag> wide;
  const auto even = hn::MulEven(a, b);
  const WordVector odd_lanes = hn::BitCast(kWords, hn::ShiftRight<32>(hn::BitCast(wide, a)));
  const auto odd = hn::MulEven(odd_lanes, b);
  const WordVector even_high = hn::BitCast(kWords, hn::ShiftRight<32>(even));
  const WordVector high = hn::OddEven(hn::BitCast(kWords, odd), even_high);
  if constexpr (HWY_TARGET == HWY_AVX2) return {high, hn::Mul(a, b)};
  const WordVector odd_low = hn::BitCast(kWords, hn::ShiftLeft<32>(odd));
  return {high, hn::OddEven(odd_low, hn::BitCast(kWords, even))};
}

// keep[0..64): `scale` for an element that stays, 0 for one that goes.
HWY_INLINE void fill_keep(const DropoutKey& key, std::uint32_t sample, std::int64_t group,
                          float* HWY_RESTRICT keep) {
  const WordVector multiplier0 = hn::Set(kWords, 0xD2511F53U);
  const WordVector multiplier1 = hn::Set(kWords, 0xCD9E8D57U);
  const WordVector threshold = hn::Set(kWords, key.threshold);
  const FloatVector scale = hn::Set(kFloats, key.scale);
  for (std::int64_t block = 0; block < 16; block += kLanes) {
    WordVector c0 = hn::Iota(kWords, static_cast<std::uint32_t>(group * 16 + block));
    WordVector c1 = hn::Set(kWords, sample);
    WordVector c2 = hn::Set(kWords, key.step);
    WordVector c3 = hn::Set(kWords, key.site);
    std::uint32_t key0 = key.seed[0];
    std::uint32_t key1 = key.seed[1];
    for (int round = 0; round < 10; ++round) {
      const WordPair product0 = multiply_wide(c0, multiplier0);
      const WordPair product1 = multiply_wide(c2, multiplier1);
      c0 = hn::Xor(hn::Xor(product1.high, c1), hn::Set(kWords, key0));
      c1 = product1.low;
      c2 = hn::Xor(hn::Xor(product0.high, c3), hn::Set(kWords, key1));
      c3 = product0.low;
      key0 += 0x9E3779B9U;
      key1 += 0xBB67AE85U;
    }
    const auto store = [&](WordVector words, std::int64_t at) HWY_ATTR {
      const auto stays = hn::RebindMask(kFloats, hn::Eq(hn::Max(words, threshold), words));
      hn::StoreU(hn::IfThenElseZero(stays, scale), kFloats, keep + at + block);
    };
    store(c0, 0);
    store(c1, 16);
    store(c2, 32);
    store(c3, 48);
  }
}

// The keep factors of one row of a [T, C] matrix, a group at a time.
// body(group_begin, group_end, keep): columns and the factors of the first of them onwards; without
// dropout all columns at once, and null.
template <class Body>
HWY_INLINE void for_dropout_groups(const DropoutKey& key, TokenRows tokens, std::int64_t row,
                                   std::int64_t cols, Body&& body) {
  if (key.threshold == 0) {
    body(0, cols, nullptr);
    return;
  }
  HWY_ALIGN float keep[kDropoutGroup];
  const std::int64_t groups = (cols + kDropoutGroup - 1) / kDropoutGroup;
  for (std::int64_t group = 0; group < groups; ++group) {
    fill_keep(key, tokens.sample[row], tokens.position[row] * groups + group, keep);
    const std::int64_t begin = group * kDropoutGroup;
    body(begin, cols < begin + kDropoutGroup ? cols : begin + kDropoutGroup, keep);
  }
}

// x *= keep factors, for elements that start at a group's boundary.
template <class T>
HWY_INLINE void apply_keep(T* x, const float* keep, std::int64_t count) {
  for_vectors(count, [&](auto vector, std::int64_t i) HWY_ATTR {
    vector.store(hn::Mul(vector.load(x + i), hn::LoadU(kFloats, keep + i)), x + i);
  });
}

template <class T>
void dropout(const DropoutKey& key, TokenRows tokens, const Extent& e, T* x) {
  if (key.threshold == 0) return;
  for (std::int64_t r = 0; r < e.rows; ++r) {
    T* const row = x + r * e.stride;
    for_dropout_groups(key, tokens, r, e.cols,
                       [&](std::int64_t begin, std::int64_t end, const float* keep)
                           HWY_ATTR { apply_keep(row + begin, keep, end - begin); });
  }
}

}  // namespace tandem::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
