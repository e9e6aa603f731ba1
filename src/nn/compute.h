#pragma once
// What a process computes with: its threads, its kernels and its matrix products.

#include <span>
#include <string_view>
#include <vector>

#include "base/thread.h"
#include "kernels/dispatch.h"
#include "nn/gemm.h"

namespace tandem {

// Who multiplies operands of bf16: oneDNN where the CPU does it in hardware and our kernels
// elsewhere, or, for tests, the one or the other everywhere (oneDNN: where the kernels have
// AVX-512).
enum class Bf16Products { kBest, kWidened, kOneDnn };

// Made once in a process. Chooses the kernel set and limits oneDNN to the same instructions.
class Compute {
 public:
  // `kernels` is "auto" or the name of a set; throws UsageError when it cannot be had. `threads`
  // and `cpus` are those of ThreadPool. Throws MachineError when oneDNN is demanded for bf16 but
  // doesn't multiply it here.
  Compute(std::string_view kernels, int threads, std::span<const std::vector<int>> cpus = {},
          Bf16Products bf16_products = Bf16Products::kBest);

  const kernels::Table& kernels() const { return kernels_; }
  // Whether 8-bit products, or those of bf16, are fast here and these kernels allow them.
  bool multiplies_int8() const { return multiplies_int8_; }
  bool multiplies_bf16() const { return multiplies_bf16_; }
  ThreadPool& pool() { return pool_; }
  Gemm& gemm() { return gemm_; }

 private:
  const kernels::Table& kernels_;
  bool multiplies_int8_;
  ThreadPool pool_;
  Gemm gemm_;
  bool multiplies_bf16_;
};

}  // namespace tandem
