#include "nn/compute.h"

#include <memory>

#include "nn/onednn.h"
#include "nn/onednn_bf16.h"
#include "nn/onednn_int8.h"

namespace tandem {
namespace {

const kernels::Table& choose_kernels(std::string_view name) {
  const kernels::Table& table = kernels::choose_table(name);
  cap_onednn_instructions(table.name);
  return table;
}

bool has_avx512(const kernels::Table& table) { return std::string_view(table.name) == "avx512"; }

}  // namespace

Compute::Compute(std::string_view kernels, int threads, std::span<const std::vector<int>> cpus)
    : kernels_(choose_kernels(kernels)),
      multiplies_int8_(has_avx512(kernels_) && onednn_multiplies_int8()),
      multiplies_bf16_(has_avx512(kernels_) && onednn_multiplies_bf16()),
      pool_(threads, cpus),
      gemm_(pool_, kernels_, multiplies_bf16_ ? std::make_unique<OneDnnBf16>(threads) : nullptr) {}

}  // namespace tandem
