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

HWY_INLINE WordVector low_from_high(WordVector words) {
  const hn::Repartition<std::uint64_t, WordTag> wide;
  return hn::BitCast(kWords, hn::ShiftRight<32>(hn::BitCast(wide, words)));
}

// The words of the even lanes and of the odd ones, in the lanes' order.
HWY_INLINE WordVector interleaved(WordVector even, WordVector odd) {
  const hn::Repartition<std::uint64_t, WordTag> wide;
  return hn::OddEven(hn::BitCast(kWords, hn::ShiftLeft<32>(hn::BitCast(wide, odd))), even);
}

// Eight or four counters of Philox. Each word is in the low half of a 64-bit lane, as a
// multiplication takes it and leaves its result; what is in the high halves means nothing.
struct PhiloxCounters {
  WordVector c0, c1, c2, c3;
};

// One round of Salmon et al. 2011, "Parallel Random Numbers: As Easy as 1, 2, 3".
HWY_INLINE PhiloxCounters philox_round(const PhiloxCounters& c, WordVector key0, WordVector key1) {
  const WordVector multiplier0 = hn::Set(kWords, 0xD2511F53U);
  const WordVector multiplier1 = hn::Set(kWords, 0xCD9E8D57U);
  const WordVector product0 = hn::BitCast(kWords, hn::MulEven(c.c0, multiplier0));
  const WordVector product1 = hn::BitCast(kWords, hn::MulEven(c.c2, multiplier1));
  return {.c0 = hn::Xor(hn::Xor(low_from_high(product1), c.c1), key0),
          .c1 = product1,
          .c2 = hn::Xor(hn::Xor(low_from_high(product0), c.c3), key1),
          .c3 = product0};
}

// hn::Iota goes through memory in a way that keeps the CPU from working on several groups at once.
HWY_ALIGN inline constexpr std::uint32_t kLaneNumbers[16] = {0, 1, 2,  3,  4,  5,  6,  7,
                                                             8, 9, 10, 11, 12, 13, 14, 15};

// keep[0..64): `scale` for an element that stays, 0 for one that goes.
HWY_INLINE void fill_keep(const DropoutKey& key, std::uint32_t sample, std::int64_t group,
                          float* HWY_RESTRICT keep) {
  const WordVector threshold = hn::Set(kWords, key.threshold);
  const FloatVector scale = hn::Set(kFloats, key.scale);
  for (std::int64_t block = 0; block < 16; block += kLanes) {
    const WordVector first =
        hn::Add(hn::Load(kWords, kLaneNumbers),
                hn::Set(kWords, static_cast<std::uint32_t>(group * 16 + block)));
    PhiloxCounters even = {.c0 = first,
                           .c1 = hn::Set(kWords, sample),
                           .c2 = hn::Set(kWords, key.step),
                           .c3 = hn::Set(kWords, key.site)};
    PhiloxCounters odd = even;
    odd.c0 = low_from_high(first);
    std::uint32_t key0 = key.seed[0];
    std::uint32_t key1 = key.seed[1];
    HWY_UNROLL(10)
    for (int round = 0; round < 10; ++round) {
      const WordVector keys0 = hn::Set(kWords, key0);
      const WordVector keys1 = hn::Set(kWords, key1);
      even = philox_round(even, keys0, keys1);
      odd = philox_round(odd, keys0, keys1);
      key0 += 0x9E3779B9U;
      key1 += 0xBB67AE85U;
    }
    const auto store = [&](WordVector words, std::int64_t at) HWY_ATTR {
      const auto stays = hn::RebindMask(kFloats, hn::Eq(hn::Max(words, threshold), words));
      hn::StoreU(hn::IfThenElseZero(stays, scale), kFloats, keep + at + block);
    };
    store(interleaved(even.c0, odd.c0), 0);
    store(interleaved(even.c1, odd.c1), 16);
    store(interleaved(even.c2, odd.c2), 32);
    store(interleaved(even.c3, odd.c3), 48);
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
