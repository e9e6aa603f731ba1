#pragma once
// What rank 0 read, on every rank: no rank but rank 0 needs the model's and the data's files.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "comm/communicator.h"
#include "data/token_dataset.h"
#include "model/bert_config.h"
#include "nn/precision.h"
#include "tensor/arena.h"

namespace tandem {

// What a run is, in a few numbers.
struct RunOutline {
  BertConfig config;
  std::int64_t outputs;  // K
  ProblemKind problem;
  Precision precision;
  std::int64_t evaluation_sets;
  bool trains, evaluates_at_the_end;
};

// The root's becomes everyone's.
void broadcast_outline(Communicator&, RunOutline& outline);
void broadcast_weights(Communicator&, std::span<float> weights);
void broadcast_dataset(Communicator&, TokenDataset& dataset);
void broadcast_class_weights(Communicator&, std::vector<float>& weights);

}  // namespace tandem
