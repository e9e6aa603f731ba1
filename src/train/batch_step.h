#pragma once
// One batch through the model: the forward and backward pass that training repeats, and its
// planning twin.

#include <cstdint>
#include <span>

#include "data/packed_batch.h"
#include "nn/compute.h"
#include "nn/loss.h"
#include "nn/step.h"
#include "train/classifier_model.h"

namespace tandem {

// The largest batch of a run, by what its memory depends on.
struct BatchExtent {
  std::int64_t tokens = 0, sequences = 0, longest = 0;
  // The larger of both in every respect.
  BatchExtent grow(const BatchExtent& other) const;
};

// Throws ModelError that names the key of config.json when a sequence is longer than the model has
// positions, or has a token id or segment that it has no embedding for. Everything below relies on
// it.
void check_dataset_fits(const TokenDataset& dataset, const BertConfig& config);

// Of the given examples of a data set.
BatchExtent extent_of(const TokenDataset& dataset, std::span<const std::uint32_t> examples);

// A batch of that extent with no content, for planning.
PackedBatch planning_batch(const BatchExtent& extent);

Step make_step(Compute&, Arena&, const PackedBatch&, const Dropout&);

struct TrainingBatch {
  const PackedBatch& batch;
  Dropout dropout;
  double divisor;   // of the whole update, see loss_divisor
  bool accumulate;  // not the update's first micro-batch
  CrossEntropyOptions cross_entropy = {};
  PhaseClock* clock = nullptr;
  bool (*unwanted)() = nullptr;  // asked between layers, which then throw StepAbandoned
};

// Loss of the batch (its share of the update's); gradients of all parameters. `ready` as
// BertClassifier::backward calls it.
double forward_and_backward(const ClassifierModel&, const TrainingBatch&, Gradients, Compute&,
                            Arena&, const GradientsReady& ready);

// Logits [B, K] in the arena: without dropout, with quantised weights where the model has any, and
// nothing kept for a backward pass.
Matrix<float> predict_batch(const ClassifierModel&, const PackedBatch&, Compute&, Arena&);

// Bytes of activations that forward_and_backward, or prediction, needs for a batch of that extent:
// the code itself is walked with an arena that only counts.
std::int64_t plan_training_bytes(const ClassifierModel&, const BatchExtent&, Compute&);
std::int64_t plan_prediction_bytes(const ClassifierModel&, const BatchExtent&, Compute&);

}  // namespace tandem
