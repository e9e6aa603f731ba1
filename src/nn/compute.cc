#include "nn/compute.h"

#include <memory>

#include "base/error.h"
#include "base/log.h"
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

bool has_fast_bf16(const kernels::Table& table) {
  return has_avx512(table) && onednn_multiplies_bf16();
}

// Null: our kernels.
std::unique_ptr<OneDnnBf16> make_bf16_products(Bf16Products wanted, const kernels::Table& table,
                                               int threads) {
  if (wanted == Bf16Products::kOneDnn) return std::make_unique<OneDnnBf16>(threads);
  if (wanted == Bf16Products::kWidened || !has_fast_bf16(table)) return nullptr;
  try {
    return std::make_unique<OneDnnBf16>(threads);
  } catch (const MachineError& error) {
    log_warning("{}; bf16 is multiplied as fp32", error.what());
    return nullptr;
  }
}

}  // namespace

Compute::Compute(std::string_view kernels, int threads, std::span<const std::vector<int>> cpus,
                 Bf16Products bf16_products)
    : kernels_(choose_kernels(kernels)),
      multiplies_int8_(has_avx512(kernels_) && onednn_multiplies_int8()),
      pool_(threads, cpus),
      gemm_(pool_, kernels_, make_bf16_products(bf16_products, kernels_, threads)),
      multiplies_bf16_(has_fast_bf16(kernels_) && gemm_.has_onednn_bf16()) {}

}  // namespace tandem
