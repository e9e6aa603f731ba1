#include "kernels/dispatch.h"

#include <string>

#include "base/cpu.h"
#include "base/error.h"
#include "kernels/simd_tables.h"

namespace tandem::kernels {

std::vector<const Table*> usable_tables() {
  std::vector<const Table*> tables = usable_simd_tables();
  tables.push_back(&reference_table());
  return tables;
}

const Table& choose_table(std::string_view forced) {
  const std::vector<const Table*> usable = usable_tables();
  if (forced == "auto") return *usable.front();
  std::string names;
  for (const Table* table : usable) {
    if (table->name == forced) return *table;
    names += names.empty() ? table->name : std::string(", ") + table->name;
  }
  const bool known = forced == "avx512" || forced == "avx2";
  throw UsageError("--kernels={}: {}; usable here: auto, {}", forced,
                   known ? fmt::format("this CPU ({}) lacks the instructions", cpu_model_name())
                         : "there is no such kernel set",
                   names);
}

}  // namespace tandem::kernels
