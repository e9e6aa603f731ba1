// GELU with the exact normal distribution, and its derivative.
#if defined(TANDEM_KERNELS_GELU) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_KERNELS_GELU
#undef TANDEM_KERNELS_GELU
#else
#define TANDEM_KERNELS_GELU
#endif

#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"
#include "kernels/table.h"
#include "kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::kernels::HWY_NAMESPACE {

struct NormalLaw {
  FloatVector distribution;  // Φ(x)
  FloatVector exponential;   // exp(-x²/2), √(2π) times the density
};

// Φ(-|x|) = exp(-x²/2) t p(t) / 2 with t = 1 / (1 + |x| / √8): the form of Abramowitz and Stegun
// 7.1.26, with a polynomial of degree 8 whose relative error is 4.3e-8 (tools/fit_normal_law.py).
HWY_INLINE NormalLaw normal_law(FloatVector x) {
  const FloatVector one = hn::Set(kFloats, 1.0F);
  const FloatVector magnitude = hn::Abs(x);
  const FloatVector t = hn::Div(one, hn::MulAdd(magnitude, hn::Set(kFloats, 0.353553391F), one));
  constexpr float kCoefficients[] = {0.282086402F,  0.282375336F,   0.243103608F,
                                     0.202687547F,  -0.0266273487F, 0.278069735F,
                                     -0.487202257F, 0.284576148F,   -0.0590692088F};
  FloatVector p = hn::Set(kFloats, kCoefficients[8]);
  for (int i = 7; i >= 0; --i) p = hn::MulAdd(p, t, hn::Set(kFloats, kCoefficients[i]));
  const FloatVector exponential = hn::Exp(kFloats, hn::Mul(hn::Mul(x, x), hn::Set(kFloats, -0.5F)));
  const FloatVector tail = hn::Mul(hn::Mul(exponential, t), hn::Mul(p, hn::Set(kFloats, 0.5F)));
  const auto negative = hn::Lt(x, hn::Zero(kFloats));
  return {hn::IfThenElse(negative, tail, hn::Sub(one, tail)), exponential};
}

template <class T>
void bias_gelu_forward(const Sums& sums, const float* bias, const Extent& e, T* x, T* y) {
  for (std::int64_t r = 0; r < e.rows; ++r) {
    const float* const from = sums.data + r * sums.stride;
    const std::int64_t row = r * e.stride;
    for_vectors(e.cols, [&](auto vector, std::int64_t c) HWY_ATTR {
      const FloatVector sum = hn::Add(vector.load(from + c), vector.load(bias + c));
      const FloatVector value = as_stored<T>(sum);
      if (x != nullptr) vector.store(value, x + row + c);
      vector.store(hn::Mul(value, normal_law(value).distribution), y + row + c);
    });
  }
}

template <class T>
void gelu_backward(const T* x, const Extent& e, T* gradient, T* y, float* d_bias) {
  const FloatVector inverse_sqrt_2pi = hn::Set(kFloats, 0.398942280F);
  for (std::int64_t r = 0; r < e.rows; ++r) {
    const std::int64_t row = r * e.stride;
    for_vectors(e.cols, [&](auto vector, std::int64_t c) HWY_ATTR {
      const FloatVector value = vector.load(x + row + c);
      const NormalLaw law = normal_law(value);
      const FloatVector derivative =
          hn::MulAdd(hn::Mul(value, inverse_sqrt_2pi), law.exponential, law.distribution);
      const FloatVector dx = hn::Mul(vector.load(gradient + row + c), derivative);
      vector.store(dx, gradient + row + c);
      vector.store(hn::Mul(value, law.distribution), y + row + c);
      vector.store(hn::Add(vector.load(d_bias + c), dx), d_bias + c);
    });
  }
}

}  // namespace tandem::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
