#pragma once
// BERT's pooler and classifier, or DistilBERT's two: logits from the first token of each sequence.

#include "nn/linear.h"
#include "nn/params.h"
#include "nn/step.h"

namespace tandem {

enum class HeadActivation { kTanh, kRelu };

// logits = dropout(activation(x W_pᵀ + b_p)) Wᵀ + b, as transformers' BertForSequenceClassification
// and DistilBertForSequenceClassification. Always in fp32: it is small.
struct ClassificationHead {
  Linear<float> pooler;      // [C, C]
  Linear<float> classifier;  // [K, C]
  HeadActivation activation;
  float dropout_probability;

  struct Saved {
    Matrix<float> first;    // [B, C], the encoder's output at each sequence's first token
    Matrix<float> pooled;   // [B, C], after the activation
    Matrix<float> dropped;  // [B, C], after dropout
  };
  static Saved allocate(std::int64_t sequences, std::int64_t width, Arena&);

  // logits [B, K] from saved.first.
  void forward(const LayerWeights<float>&, Matrix<float> logits, const Saved&, Step&) const;
  // d_first [B, C] from d_logits, and the head's gradients.
  void backward(const LayerWeights<float>&, const Saved&, Matrix<const float> d_logits,
                Matrix<float> d_first, Gradients, Step&) const;
};

}  // namespace tandem
