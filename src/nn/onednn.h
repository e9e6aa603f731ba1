#pragma once
// oneDNN, the library that our own products are measured against.

#include <string>
#include <string_view>

#include "nn/gemm.h"

namespace tandem {

// Caps oneDNN to the instruction set of the kernel table named `kernels`, so that forcing one means
// the whole program. Must come before the first product of the process; throws UsageError when
// oneDNN refuses.
void cap_onednn_instructions(std::string_view kernels);

// oneDNN's version, e.g. "2.6.3".
std::string onednn_version();

// The whole product on the calling thread, by oneDNN.
void multiply_with_onednn(const Product& product);

}  // namespace tandem
