#pragma once
// The kernel tables that are written over Highway, one for each instruction set.

#include <vector>

#include "kernels/table.h"

namespace tandem::kernels {

// Those that this CPU supports, best first.
std::vector<const Table*> usable_simd_tables();

}  // namespace tandem::kernels
