#include "nn/params.h"

#include <utility>

namespace tandem {

ParamSlice ParamTable::add(std::string name, std::int64_t rows, std::int64_t cols,
                           WeightDecay decay) {
  constexpr std::int64_t kAlignment = 16;
  const ParamSlice slice{.offset = floats_, .rows = rows, .cols = cols};
  params_.push_back({std::move(name), slice, decay});
  floats_ += (slice.size() + kAlignment - 1) / kAlignment * kAlignment;
  return slice;
}

}  // namespace tandem
