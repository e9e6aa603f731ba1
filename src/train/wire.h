#pragma once
// What gradients are sent as.

#include <cstdint>
#include <span>

#include "base/bf16.h"
#include "kernels/table.h"

namespace tandem {

enum class WireType { kFp32, kBf16 };

// wire = values, rounded where W is bf16.
template <class W>
void to_wire(const kernels::Table& kernels, std::span<const float> values, W* wire);
// values = wire.
template <class W>
void from_wire(const kernels::Table& kernels, const W* wire, std::span<float> values);
// sum += wire.
template <class W>
void add_wire(const kernels::Table& kernels, const W* wire, std::span<float> sum);

}  // namespace tandem
