#pragma once
// Which kernels this CPU can run, and which of them a run uses.

#include <string_view>
#include <vector>

#include "kernels/table.h"

namespace tandem::kernels {

// Compiled in and supported by this CPU, best first, "reference" last.
std::vector<const Table*> usable_tables();

// The table named `forced`, or the best one for "auto". Throws UsageError that says what is usable
// here when the name is unknown or this CPU lacks the instructions.
const Table& choose_table(std::string_view forced);

const Table& reference_table();

}  // namespace tandem::kernels
