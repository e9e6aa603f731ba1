#pragma once
// What the benchmarks of `tandem bench` have in common.

#include <cstdint>
#include <string>

#include "cli/hub_flags.h"
#include "cli/shared_flags.h"
#include "model/hf_config.h"

namespace tandem {

struct BenchFlags {
  std::string model, preset = "bert-base-cased", lengths, trace;
  std::int64_t batch_size = 32, steps = 6, tokens = 1704, max_seq_length = 128;
  bool json = false;
  bool int8 = false;
  ComputeFlags compute;
  HubFlags hub;
};

// Of the model directory or the preset that the flags name, with two labels.
HfConfig config_of(const BenchFlags&);

// `tandem bench step`: training steps with random weights, and where their time goes.
void bench_step(const BenchFlags&);
// `tandem bench predict`: prediction with random weights.
void bench_predict(const BenchFlags&);

}  // namespace tandem
