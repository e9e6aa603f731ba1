#pragma once
// Products of bf16, summed in fp32, by oneDNN.

#include <cstdint>
#include <memory>

#include "base/bf16.h"
#include "kernels/table.h"

namespace tandem {

// Whether this CPU multiplies bf16 in hardware: it has AVX512_BF16 or AMX, and oneDNN isn't limited
// to less. With AVX-512 alone oneDNN computes the same by many more instructions.
bool onednn_multiplies_bf16();

// Every shape is multiplied by the same few primitives, which learn of it when they run: nothing is
// compiled or kept for a shape, so the tokens of a batch may be any number. Each element is summed
// in the same order whatever part of c a call computes, unless that is a single row or column.
class OneDnnBf16 {
 public:
  // For threads 0 .. workers - 1. Throws MachineError where oneDNN doesn't multiply bf16.
  explicit OneDnnBf16(int workers);
  ~OneDnnBf16();
  OneDnnBf16(OneDnnBf16&&) noexcept;
  OneDnnBf16& operator=(OneDnnBf16&&) noexcept;

  // c = a b, or c += with `accumulate`, on the calling thread alone: a is [rows, k], b [k, cols],
  // c [rows, cols] as `c_extent` has it. Called by any number of threads at a time, each with a
  // `worker` of its own.
  void multiply(const kernels::Operand<BFloat16>& a, const kernels::Operand<BFloat16>& b,
                std::int64_t k, const kernels::Extent& c_extent, float* c, bool accumulate,
                int worker) const;

 private:
  struct Primitives;  // oneDNN's own types stay out of this header
  std::unique_ptr<Primitives> primitives_;
};

}  // namespace tandem
