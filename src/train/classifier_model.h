#pragma once
// A classifier and its flat weights, as training, evaluation and prediction take it.

#include <cstdint>
#include <span>
#include <vector>

#include "base/thread.h"
#include "data/example.h"
#include "model/bert_classifier.h"
#include "nn/params.h"
#include "nn/quantized_linear.h"

namespace tandem {

// Views of one model; what they point to must outlive it.
struct ClassifierModel {
  const AnyBertClassifier& classifier;
  const ParamTable& table;
  std::span<float> weights;
  std::span<BFloat16> bf16_weights = {};  // as make_bf16_weights made them
  ProblemKind problem;
  std::int64_t outputs;                         // K
  const QuantizedWeights* quantized = nullptr;  // for prediction in fp32; null: none
};

// The weights as layers of type T read them.
template <class T>
LayerWeights<T> layer_weights(const ClassifierModel& model);

// The copy of the weights that a classifier of bf16 multiplies by, as far as the embeddings, which
// it reads in fp32; empty for fp32.
std::vector<BFloat16> make_bf16_weights(const AnyBertClassifier&, const ParamTable&,
                                        std::span<const float> weights, ThreadPool&);

}  // namespace tandem
