#pragma once
// How fast this machine multiplies 8-bit integers of the shapes that prediction has.

#include <cstdint>

#include "nn/compute.h"

namespace tandem {

// Operations a second of rows[rows, in] weight[out, in]ᵀ on all threads: the median of `repeats`
// runs. The rows are quantised already, and the sums stay integers.
double measure_int8_rate(std::int64_t rows, std::int64_t out, std::int64_t in, int repeats,
                         Compute&);

}  // namespace tandem
