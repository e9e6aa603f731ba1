#pragma once
// How long a training step takes on this machine, beside what its matrix products alone would take.

#include <cstdint>
#include <span>
#include <vector>

#include "nn/compute.h"
#include "nn/phase_clock.h"
#include "train/trainer.h"

namespace tandem {

struct StepBenchmark {
  std::vector<double> seconds;  // of each step, the first left out: it warms up
  double median_seconds = 0;
  double samples_per_second = 0;
  double gemm_flops_per_second = 0;    // attainable: over the step's own shapes, in this run
  double memory_bytes_per_second = 0;  // attainable: y += x over arrays that fit no cache
  double step_flops_per_second = 0;    // the step's products, as done, by its whole time
  std::vector<PhaseTotal> phases;      // of one step, the mean
  std::vector<Lap> last_laps;          // of the last step
  double share_of_gemm() const { return step_flops_per_second / gemm_flops_per_second; }
  // What the phase would take at the attainable rates, by what it takes.
  double share_of_attainable(const PhaseTotal& phase) const;
};

// Random token ids for sequences of these lengths, with labels 0 and 1 in turn.
TokenDataset random_dataset(std::span<const std::int64_t> lengths, std::int64_t vocab_size);

// Trains `steps` steps on consecutive batches of the data set, and after each times products of the
// shapes that the first one had.
StepBenchmark measure_steps(const ClassifierModel&, const BertConfig&, const TokenDataset&,
                            std::int64_t batch_size, std::int64_t steps, Compute&);

// Samples a second that prediction takes the data set at, its first batch left out.
double measure_prediction(const ClassifierModel&, const TokenDataset&, std::int64_t batch_size,
                          Compute&);

}  // namespace tandem
