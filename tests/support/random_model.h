#pragma once
// A classifier of two classes with random weights, the same ones whenever it is made.

#include <cstddef>
#include <vector>

#include "model/bert_params.h"
#include "model/initialization.h"
#include "nn/compute.h"
#include "train/classifier_model.h"

namespace tandem::testing {

class RandomModel {
 public:
  RandomModel(const BertConfig& config, Precision precision, Compute& compute)
      : params_(add_bert_params(table_, config, kOutputs)),
        classifier_(make_bert_classifier(config, params_, kOutputs, precision)),
        weights_(static_cast<std::size_t>(table_.floats())) {
    initialize_parameters(weights_, table_, {}, compute.pool());
    bf16_weights_ = make_bf16_weights(classifier_, table_, weights_, compute.pool());
  }
  RandomModel(const RandomModel&) = delete;
  RandomModel& operator=(const RandomModel&) = delete;

  ClassifierModel view() {
    return {.classifier = classifier_,
            .table = table_,
            .weights = weights_,
            .bf16_weights = bf16_weights_,
            .problem = ProblemKind::kSingleLabel,
            .outputs = kOutputs};
  }
  const std::vector<float>& weights() const { return weights_; }

 private:
  static constexpr std::int64_t kOutputs = 2;
  ParamTable table_;
  BertParams params_;
  AnyBertClassifier classifier_;
  std::vector<float> weights_;
  std::vector<BFloat16> bf16_weights_;
};

}  // namespace tandem::testing
