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

// Where an earlier training, whose checkpoint rank 0 has read, is gone on with: as far as the other
// ranks must know it. No steps: from the start.
struct ResumedAt {
  std::int64_t steps = 0;
  std::int64_t batch_size = 0;  // of an update, over all ranks
  std::int64_t best_checkpoint = -1;
  std::int64_t evaluations_without_a_better = 0;
  bool saved_before = false, settled = true;
};

// What sets one of a job's trainings apart from the others; `more` is false when there is none
// left.
struct RunOrder {
  bool more = true;
  std::uint64_t seed = 42;
  double learning_rate = 5e-5;
  double num_train_epochs = 3;
  std::int64_t batch_size = 0;  // of an update, over all ranks; 0: as the options have it
  ResumedAt resumed = {};
};

// The root's becomes everyone's.
void broadcast_outline(Communicator&, RunOutline& outline);
void broadcast_order(Communicator&, RunOrder& order);
void broadcast_weights(Communicator&, std::span<float> weights);
void broadcast_moments(Communicator&, std::span<float> moment1, std::span<float> moment2);
void broadcast_dataset(Communicator&, TokenDataset& dataset);
void broadcast_class_weights(Communicator&, std::vector<float>& weights);

}  // namespace tandem
