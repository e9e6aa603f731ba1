#pragma once
// AdamW over the flat parameter array, with the reference's decay groups.

#include <cstdint>
#include <span>

#include "base/thread.h"
#include "kernels/table.h"
#include "nn/params.h"

namespace tandem {

// Defaults are those of transformers' TrainingArguments.
struct AdamWOptions {
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  double weight_decay = 0;  // not applied to biases and LayerNorm parameters
};

// The flat arrays that training works on, each as long as the parameter table's floats().
struct TrainingArrays {
  std::span<float> weights, gradients, moment1, moment2;
  // A copy of the first parameters, those that products read; empty in fp32.
  std::span<BFloat16> bf16_weights = {};
};

struct AdamWStep {
  std::int64_t update;  // from 1: for bias correction
  double learning_rate;
  double gradient_scale;  // from clipping
};

// One pass over all arrays (Loshchilov and Hutter 2019, arXiv:1711.05101; bias correction as
// torch.optim.AdamW).
void adamw_update(const ParamTable&, const TrainingArrays&, const AdamWOptions&, const AdamWStep&,
                  const kernels::Table&, ThreadPool&);

}  // namespace tandem
