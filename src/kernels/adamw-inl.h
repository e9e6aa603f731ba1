// AdamW, one pass over gradient, weight, both moments and the weight as bf16.
#if defined(TANDEM_KERNELS_ADAMW) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_KERNELS_ADAMW
#undef TANDEM_KERNELS_ADAMW
#else
#define TANDEM_KERNELS_ADAMW
#endif

#include "hwy/highway.h"
#include "kernels/table.h"
#include "kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::kernels::HWY_NAMESPACE {

void adamw(const AdamWUpdate& u, std::int64_t count, const float* gradient, float* weight,
           float* moment1, float* moment2, BFloat16* rounded) {
  const FloatVector gradient_scale = hn::Set(kFloats, u.gradient_scale);
  const FloatVector beta1 = hn::Set(kFloats, u.beta1);
  const FloatVector beta2 = hn::Set(kFloats, u.beta2);
  const FloatVector one_minus_beta1 = hn::Set(kFloats, u.one_minus_beta1);
  const FloatVector one_minus_beta2 = hn::Set(kFloats, u.one_minus_beta2);
  const FloatVector epsilon = hn::Set(kFloats, u.epsilon);
  const FloatVector decay = hn::Set(kFloats, u.decay_factor);
  const FloatVector step_size = hn::Set(kFloats, u.step_size);
  const FloatVector correction = hn::Set(kFloats, u.inverse_sqrt_correction2);
  for_vectors(count, [&](auto vector, std::int64_t i) HWY_ATTR {
    const FloatVector g = hn::Mul(vector.load(gradient + i), gradient_scale);
    const FloatVector m = hn::MulAdd(beta1, vector.load(moment1 + i), hn::Mul(one_minus_beta1, g));
    const FloatVector v =
        hn::MulAdd(beta2, vector.load(moment2 + i), hn::Mul(hn::Mul(one_minus_beta2, g), g));
    const FloatVector denominator = hn::MulAdd(hn::Sqrt(v), correction, epsilon);
    const FloatVector step = hn::Div(hn::Mul(step_size, m), denominator);
    vector.store(m, moment1 + i);
    vector.store(v, moment2 + i);
    const FloatVector updated = hn::MulSub(vector.load(weight + i), decay, step);
    vector.store(updated, weight + i);
    if (rounded != nullptr) vector.store(updated, rounded + i);
  });
}

}  // namespace tandem::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
