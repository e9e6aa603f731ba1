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

// Sixteen or eight counters of Philox, one word of each. Those of even and those of odd lanes are
// in vectors of their own, each in the low half of a 64-bit lane, as a multiplication takes them
// and leaves its result; what is in the high halves means nothing.
struct CounterWords {
  WordVector even, odd;
};

HWY_INLINE CounterWords every_counter(std::uint32_t word) {
  return {hn::Set(kWords, word), hn::Set(kWords, word)};
}

HWY_INLINE WordVector low_from_high(WordVector words) {
  const hn::Repartition<std::uint64_t, WordTag> wide;
  return hn::BitCast(kWords, hn::ShiftRight<32>(hn::BitCast(wide, words)));
}

// A word of each counter, in the counters' order.
HWY_INLINE WordVector in_order(const CounterWords& words) {
  const hn::Repartition<std::uint64_t, WordTag> wide;
  const auto odd = hn::ShiftLeft<32>(hn::BitCast(wide, words.odd));
  return hn::OddEven(hn::BitCast(kWords, odd), words.even);
}

struct PhiloxState {
  CounterWords c0, c1, c2, c3;
};

// One round of Salmon et al. 2011, "Parallel Random Numbers: As Easy as 1, 2, 3", for the counters
// of either half.
HWY_INLINE void philox_round(WordVector CounterWords::*half, WordVector key0, WordVector key1,
                             PhiloxState& state) {
  const WordVector multiplier0 = hn::Set(kWords, 0xD2511F53U);
  const WordVector multiplier1 = hn::Set(kWords, 0xCD9E8D57U);
  const WordVector product0 = hn::BitCast(kWords, hn::MulEven(state.c0.*half, multiplier0));
  const WordVector product1 = hn::BitCast(kWords, hn::MulEven(state.c2.*half, multiplier1));
  state.c0.*half = hn::Xor(hn::Xor(low_from_high(product1), state.c1.*half), key0);
  state.c1.*half = product1;
  state.c2.*half = hn::Xor(hn::Xor(low_from_high(product0), state.c3.*half), key1);
  state.c3.*half = product0;
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
    PhiloxState state = {.c0 = {first, low_from_high(first)},
                         .c1 = every_counter(sample),
                         .c2 = every_counter(key.step),
                         .c3 = every_counter(key.site)};
    std::uint32_t key0 = key.seed[0];
    std::uint32_t key1 = key.seed[1];
    HWY_UNROLL(10)
    for (int round = 0; round < 10; ++round) {
      const WordVector keys0 = hn::Set(kWords, key0);
      const WordVector keys1 = hn::Set(kWords, key1);
      philox_round(&CounterWords::even, keys0, keys1, state);
      philox_round(&CounterWords::odd, keys0, keys1, state);
      key0 += 0x9E3779B9U;
      key1 += 0xBB67AE85U;
    }
    const auto store = [&](const CounterWords& counters, std::int64_t at) HWY_ATTR {
      const WordVector words = in_order(counters);
      const auto stays = hn::RebindMask(kFloats, hn::Eq(hn::Max(words, threshold), words));
      hn::StoreU(hn::IfThenElseZero(stays, scale), kFloats, keep + at + block);
    };
    store(state.c0, 0);
    store(state.c1, 16);
    store(state.c2, 32);
    store(state.c3, 48);
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
