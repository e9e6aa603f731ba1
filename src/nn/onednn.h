#pragma once
// oneDNN: products that our own are measured against, and its limits. nn/onednn_int8.h has those
// that prediction uses.

#include <string>
#include <string_view>

#include "nn/gemm.h"

namespace tandem {

// Caps oneDNN to the instruction set of the kernel table named `kernels`, so that forcing one means
// the whole program. Must come before the first product of the process; throws UsageError when
// oneDNN refuses.
void cap_onednn_instructions(std::string_view kernels);

// Our threads divide the work: a library call on this thread starts none of its own. Comes before
// each use of the library, as OpenMP keeps the number by thread.
void use_one_openmp_thread();

// oneDNN's version, e.g. "2.6.3".
std::string onednn_version();

// The whole product on the calling thread, by oneDNN.
void multiply_with_onednn(const Product<float>& product);

}  // namespace tandem
