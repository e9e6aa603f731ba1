#pragma once
// BERT with a classification head: logits of a packed batch, and the gradients of all parameters.

#include <cstdint>
#include <functional>
#include <variant>
#include <vector>

#include "data/packed_batch.h"
#include "model/bert_config.h"
#include "model/bert_params.h"
#include "model/encoder_layer.h"
#include "nn/classification_head.h"
#include "nn/embeddings.h"
#include "nn/precision.h"
#include "nn/step.h"

namespace tandem {

// How far the flat gradient array is final: everything below this many floats.
using GradientsReady = std::function<void(std::int64_t floats)>;

// Activations of the encoder are of type T: float or BFloat16.
template <class T>
class BertClassifier {
 public:
  // `params` as add_bert_params laid them out. `outputs` is K.
  BertClassifier(const BertConfig& config, const BertParams& params, std::int64_t outputs);

  // The activations of one forward pass, in the step's arena.
  struct Saved {
    typename Embeddings<T>::Saved embeddings;
    Matrix<T> embedded;  // [T, C]
    std::vector<typename EncoderLayer<T>::Saved> layers;
    ClassificationHead::Saved head;
    Matrix<float> logits;  // [B, K]
  };

  // Logits and what backward needs. The last layer computes first tokens only: the head reads no
  // other.
  Saved forward(const LayerWeights<T>&, const PackedBatch&, Step&) const;
  // Logits [B, K] alone: one layer's memory at a time.
  Matrix<float> predict(const LayerWeights<T>&, const PackedBatch&, Step&) const;
  // Gradients of all parameters, from d_logits [B, K]. `ready` is called as they become final.
  void backward(const LayerWeights<T>&, const PackedBatch&, const Saved&,
                Matrix<const float> d_logits, Gradients, Step&, const GradientsReady& ready) const;

  // The weights of the encoder's linear maps, each as forward uses it.
  std::vector<ParamSlice> encoder_weights() const;

 private:
  Embeddings<T> embeddings_;
  std::vector<EncoderLayer<T>> layers_;
  ClassificationHead head_;
  std::vector<std::int64_t> ready_after_layer_;  // floats final once layer l's backward is done
  std::int64_t ready_after_head_, ready_after_embeddings_;
  std::int64_t width_, outputs_;
};

using AnyBertClassifier = std::variant<BertClassifier<float>, BertClassifier<BFloat16>>;

AnyBertClassifier make_bert_classifier(const BertConfig&, const BertParams&, std::int64_t outputs,
                                       Precision);
Precision precision_of(const AnyBertClassifier&);
std::vector<ParamSlice> encoder_weights(const AnyBertClassifier&);

}  // namespace tandem
