#pragma once
// The model's answers for a whole data set.

#include <cstdint>
#include <functional>
#include <vector>

#include "comm/communicator.h"
#include "data/token_dataset.h"
#include "nn/compute.h"
#include "train/classifier_model.h"
#include "train/metrics.h"

namespace tandem {

// Logits of every example, in the data set's order: of one that was read in pieces, their mean.
struct Predictions {
  std::vector<float> logits;  // [N, K]
  std::int64_t outputs = 1;   // K

  Matrix<const float> rows() const {
    return {logits.data(), static_cast<std::int64_t>(logits.size()) / outputs, outputs, outputs};
  }
};

// Called after each batch with the number of sequences done.
using PredictionProgress = std::function<void(std::int64_t done)>;

// `batch_size` examples at a time, or as many more as come to 2,048 tokens: nothing is padded, so a
// larger batch costs nothing but memory, and small ones leave threads idle. Takes memory for the
// largest batch alone, one layer's activations.
// With a communicator the ranks share the batches, and all get all answers: the same bits as one
// rank alone would.
Predictions predict(const ClassifierModel&, const TokenDataset&, std::int64_t batch_size, Compute&,
                    const PredictionProgress& progress, Communicator* communicator = nullptr);

// Mean loss of the predictions. Every example must have a label.
double mean_loss(const Predictions&, const TokenDataset&, ProblemKind);

// The class with the highest logit, the labels with one above 0, or the value. Throws WallError
// when a logit isn't finite.
Judged judge(const Predictions&, const TokenDataset&, ProblemKind);

}  // namespace tandem
