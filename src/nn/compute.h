#pragma once
// What a process computes with: its threads, its kernels and its matrix products.

#include <string_view>

#include "base/thread.h"
#include "kernels/dispatch.h"
#include "nn/gemm.h"
#include "nn/onednn.h"
#include "nn/onednn_int8.h"

namespace tandem {

// Made once in a process. Chooses the kernel set and limits oneDNN to the same instructions.
class Compute {
 public:
  // `kernels` is "auto" or the name of a set; throws UsageError when it cannot be had.
  Compute(std::string_view kernels, int threads)
      : kernels_(kernels::choose_table(kernels)), pool_(threads), gemm_(pool_, kernels_) {
    cap_onednn_instructions(kernels_.name);
  }
  const kernels::Table& kernels() const { return kernels_; }
  // Whether 8-bit products are fast here and these kernels allow them.
  bool multiplies_int8() const {
    return std::string_view(kernels_.name) == "avx512" && onednn_multiplies_int8();
  }
  ThreadPool& pool() { return pool_; }
  Gemm& gemm() { return gemm_; }

 private:
  const kernels::Table& kernels_;
  ThreadPool pool_;
  Gemm gemm_;
};

}  // namespace tandem
