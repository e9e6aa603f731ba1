#pragma once
// How long a training step takes on this machine, beside what its matrix products alone would take.

#include <cstdint>
#include <span>
#include <vector>

#include "nn/compute.h"
#include "train/trainer.h"

namespace tandem {

struct StepBenchmark {
  std::vector<double> seconds;  // of each step, the first left out: it warms up
  double median_seconds = 0;
  double samples_per_second = 0;
  double gemm_flops_per_second = 0;  // attainable: over the step's own shapes, in this run
  double step_flops_per_second = 0;  // the step's products by its whole time
  double share_of_gemm() const { return step_flops_per_second / gemm_flops_per_second; }
};

// Random token ids for sequences of these lengths, with labels 0 and 1 in turn.
TokenDataset random_dataset(std::span<const std::int64_t> lengths, std::int64_t vocab_size);

// FLOPs of the matrix products of one training step with `tokens` tokens: encoder, forward and
// backward. Attention's own products and the head's are left out.
double encoder_flops(const BertConfig& config, std::int64_t tokens);

// Trains `steps` steps on consecutive batches of the data set.
StepBenchmark measure_steps(const ClassifierModel&, const BertConfig&, const TokenDataset&,
                            std::int64_t batch_size, std::int64_t steps, Compute&);

}  // namespace tandem
