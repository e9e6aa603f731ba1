#pragma once
// Whether training uses the machine as it should.

#include <string>
#include <vector>

#include "model/bert_config.h"
#include "nn/compute.h"
#include "nn/precision.h"
#include "train/step_times.h"

namespace tandem {

// Of some steps in a row.
struct TrainingPace {
  double seconds_per_step = 0;       // forward and backward
  double flops_per_second = 0;       // of products, while forward and backward run
  double gemm_flops_per_second = 0;  // of products alone, measured right after
  double cpu_share = 0;              // how much of the time the threads ran, from 0 to 1
  int threads = 1;
};

// A sentence each, for the person who watches:
// - the threads ran less than 70% of the time: something else takes the cores;
// - forward and backward reach less than 40% of what products alone do. A BERT-base reaches 80% and
//   a MiniLM over 60% with usual batches.
// Nothing of steps that are shorter than 50 ms: other things count there.
std::vector<std::string> pace_warnings(const TrainingPace& pace);

// The warnings of a rank's steps, in which it did `flops` in products itself. Times products of the
// model's feed-forward layer for that, which takes a moment; says nothing of the reference kernels,
// which are slow by design.
std::vector<std::string> pace_warnings(const SpeedRecord& speed, double flops, const BertConfig&,
                                       Precision, Compute&);

}  // namespace tandem
