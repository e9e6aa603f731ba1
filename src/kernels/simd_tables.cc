// Compiles every kernel once for each instruction set, by including this file again for each.
#include "kernels/simd_tables.h"

// SSE2, the compiler's baseline, is always among Highway's targets; no table is made of it.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/simd_tables.cc"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
#include "kernels/adamw-inl.h"
#include "kernels/attention-inl.h"
#include "kernels/elementwise-inl.h"
#include "kernels/gelu-inl.h"
#include "kernels/gemm-inl.h"
#include "kernels/quantize-inl.h"
#include "kernels/residual_norm-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::kernels::HWY_NAMESPACE {

template <class T>
constexpr ActivationKernels<T> activation_kernels() {
  return {.pack_panel = pack_panel<T>,
          .multiply_panels = multiply_panels<T>,
          .add_bias = add_bias<T>,
          .add_column_sums = add_column_sums<T>,
          .add = add<T>,
          .bias_gelu_forward = bias_gelu_forward<T>,
          .gelu_backward = gelu_backward<T>,
          .dropout = dropout<T>,
          .residual_norm_forward = residual_norm_forward<T>,
          .residual_norm_backward = residual_norm_backward<T>,
          .scale_and_shift = scale_and_shift<T>,
          .attention_forward = attention_forward<T>,
          .attention_backward = attention_backward<T>};
}

const Table* table() {
  static constexpr Table kTable = {.name = HWY_TARGET == HWY_AVX2 ? "avx2" : "avx512",
                                   .panel_columns = kPanelColumns,
                                   .fp32 = activation_kernels<float>(),
                                   .bf16 = activation_kernels<BFloat16>(),
                                   .widen = widen,
                                   .store_sums = store_sums,
                                   .quantize_rows = quantize_rows,
                                   .dequantize_tile = dequantize_tile,
                                   .sum_of_squares = sum_of_squares,
                                   .adamw = adamw};
  return &kTable;
}

}  // namespace tandem::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
#include "hwy/targets.h"

namespace tandem::kernels {

std::vector<const Table*> usable_simd_tables() {
  const auto supported = hwy::SupportedTargets();
  std::vector<const Table*> tables;
  if ((supported & HWY_AVX3) != 0) tables.push_back(N_AVX3::table());
  if ((supported & HWY_AVX2) != 0) tables.push_back(N_AVX2::table());
  return tables;
}

}  // namespace tandem::kernels
#endif
