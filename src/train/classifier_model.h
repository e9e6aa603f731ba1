#pragma once
// A classifier and its flat weights, as training, evaluation and prediction take it.

#include <span>
#include <vector>

#include "data/example.h"
#include "model/bert_classifier.h"
#include "nn/params.h"
#include "nn/quantized_linear.h"

namespace tandem {

// Views of one model; what they point to must outlive it.
struct ClassifierModel {
  const BertClassifier& classifier;
  const ParamTable& table;
  std::span<float> weights;
  ProblemKind problem;
  std::int64_t outputs;                         // K
  const QuantizedWeights* quantized = nullptr;  // for prediction; null: in fp32
};

}  // namespace tandem
