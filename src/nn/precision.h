#pragma once
// Which type activations and the operands of products have.

#include <string_view>

namespace tandem {

enum class Precision { kFp32, kBf16 };

constexpr std::string_view name_of(Precision precision) {
  return precision == Precision::kFp32 ? "fp32" : "bf16";
}

}  // namespace tandem
