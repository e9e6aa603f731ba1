#pragma once
// What a user asks to be computed in, and what that comes to on this machine.

#include <cstdint>
#include <optional>

#include "nn/compute.h"
#include "nn/precision.h"

namespace tandem {

enum class PrecisionRequest { kAuto, kFp32, kBf16 };

struct PrecisionChoice {
  Precision precision;
  std::optional<double> bf16_speed;  // of products in bf16, as a multiple of fp32's; if measured
};

// With kAuto bf16 where the CPU has it (Compute::multiplies_bf16), else fp32. Only where bf16 is
// then measured to be clearly slower, which no such CPU is known for, is it fp32 all the same: one
// machine makes one choice, so that a command gives the same bits each time, and a ratio near 1,
// which chance decides, decides nothing.
//
// Measured are the products of a linear map [intermediate_size, width] and of its gradients, as
// steps compute them; it takes a moment. Nothing is measured that can't be chosen, nor with the
// reference kernels, which would take minutes. Throws Error when interrupted.
PrecisionChoice choose_precision(PrecisionRequest, std::int64_t width,
                                 std::int64_t intermediate_size, Compute&);

}  // namespace tandem
