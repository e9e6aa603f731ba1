#pragma once
// Random weights as the reference draws them (transformers 5.24, modeling_utils.py _init_weights):
// matrices and embeddings from normal(0, initializer_range), biases 0, layer norms 1 and 0, the
// padding token's row 0.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/thread.h"
#include "model/hf_config.h"
#include "nn/params.h"

namespace tandem {

// Fills `out` with independent normal(0, deviation) numbers. Element i depends on (seed, name, i)
// alone: Philox4x32-10 with the seed as key and (i / 4, hash of the name) as counter, then Box and
// Muller's transform.
void fill_normal(std::span<float> out, float deviation, std::uint64_t seed, std::string_view name);

struct Initialization {
  float range = 0.02F;
  std::optional<std::int64_t> padding_row;  // of the word embeddings
  std::uint64_t seed = 42;
};
// The initialisation that a configuration asks for; a range of 0 means 0.02, as in the reference.
Initialization initialization_of(const HfConfig& config, std::uint64_t seed);

// Sets one parameter of the flat array; what it is follows from its name's ending.
void initialize_parameter(std::span<float> weights, const ParamInfo& parameter,
                          const Initialization& how);

// Sets all parameters of the table, a task each.
void initialize_parameters(std::span<float> weights, const ParamTable& table,
                           const Initialization& how, ThreadPool& pool);

}  // namespace tandem
