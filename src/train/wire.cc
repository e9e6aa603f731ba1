#include "train/wire.h"

#include <algorithm>

namespace tandem {

template <>
void to_wire(const kernels::Table& /*kernels*/, std::span<const float> values, float* wire) {
  std::ranges::copy(values, wire);
}

template <>
void to_wire(const kernels::Table& kernels, std::span<const float> values, BFloat16* wire) {
  const auto count = static_cast<std::int64_t>(values.size());
  kernels.store_sums({values.data(), count}, {1, count, count}, false, wire);
}

template <>
void from_wire(const kernels::Table& /*kernels*/, const float* wire, std::span<float> values) {
  std::copy_n(wire, values.size(), values.begin());
}

template <>
void from_wire(const kernels::Table& kernels, const BFloat16* wire, std::span<float> values) {
  kernels.widen(wire, static_cast<std::int64_t>(values.size()), values.data());
}

template <class W>
void add_wire(const kernels::Table& kernels, const W* wire, std::span<float> sum) {
  kernels.of<W>().add(wire, static_cast<std::int64_t>(sum.size()), sum.data());
}

template void add_wire(const kernels::Table&, const float*, std::span<float>);
template void add_wire(const kernels::Table&, const BFloat16*, std::span<float>);

}  // namespace tandem
