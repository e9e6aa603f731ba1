#include "model/bert_classifier.h"

#include <algorithm>

namespace tandem {
namespace {

std::int64_t end_of(const ParamSlice& slice) { return slice.offset + slice.size(); }

// Between the encoder and the head, of whose rows there are few.
template <class From, class To>
void convert(Matrix<From> from, Matrix<To> to, const Step& step) {
  step.run(from.rows, [&](std::int64_t r, int) {
    for (std::int64_t c = 0; c < from.cols; ++c) {
      to.row(r)[c] = round_to<To>(to_float(from.row(r)[c]));
    }
  });
}

}  // namespace

template <class T>
BertClassifier<T>::BertClassifier(const BertConfig& config, const BertParams& params,
                                  std::int64_t outputs)
    : embeddings_{.word = params.word_embeddings,
                  .position = params.position_embeddings,
                  .token_type = params.token_type_embeddings,
                  .norm = params.embedding_norm,
                  .epsilon = config.layer_norm_eps,
                  .dropout_probability = config.hidden_dropout_prob},
      head_{.pooler = {params.pooler},
            .classifier = {params.classifier},
            .activation =
                config.family == ModelFamily::kBert ? HeadActivation::kTanh : HeadActivation::kRelu,
            .dropout_probability = config.classifier_dropout},
      ready_after_head_(end_of(params.pooler.bias)),
      ready_after_embeddings_(end_of(params.word_embeddings)),
      width_(config.hidden_size),
      outputs_(outputs) {
  for (std::int64_t l = 0; l < config.num_hidden_layers; ++l) {
    const EncoderLayerParams& layer = params.layers[static_cast<std::size_t>(l)];
    const bool last = l + 1 == config.num_hidden_layers;
    layers_.emplace_back(config, layer, l, last ? Tokens::kFirst : Tokens::kAll);
    ready_after_layer_.push_back(end_of(layer.qkv.bias));
  }
}

template <class T>
std::vector<ParamSlice> BertClassifier<T>::encoder_weights() const {
  std::vector<ParamSlice> weights;
  for (const EncoderLayer<T>& layer : layers_) {
    for (const ParamSlice& weight : layer.linear_weights()) weights.push_back(weight);
  }
  return weights;
}

template <class T>
typename BertClassifier<T>::Saved BertClassifier<T>::forward(const LayerWeights<T>& weights,
                                                             const PackedBatch& batch,
                                                             Step& step) const {
  const std::int64_t tokens = batch.tokens();
  Arena& arena = step.arena;
  Saved saved;
  saved.embeddings = ResidualNorm<T>::allocate(tokens, width_, step);
  saved.embedded = arena.matrix<T>(tokens, width_);
  for (const EncoderLayer<T>& layer : layers_) {
    saved.layers.push_back(layer.allocate(step));
  }
  saved.head = ClassificationHead::allocate(batch.sequences(), width_, arena);
  saved.logits = arena.matrix<float>(batch.sequences(), outputs_);

  const ArenaScope scope(arena);
  Matrix<T> y = arena.matrix<T>(tokens, width_);
  Matrix<T> spare = arena.matrix<T>(tokens, width_);
  embeddings_.forward(weights, {batch.ids, batch.segments}, saved.embedded, saved.embeddings, step);
  Matrix<const T> x = saved.embedded;
  for (std::size_t l = 0; l + 1 < layers_.size(); ++l) {
    step.leave_if_unwanted();
    layers_[l].forward(weights, x, y, saved.layers[l], step);
    x = y;
    std::swap(y, spare);
  }
  const Matrix<T> first = arena.matrix<T>(batch.sequences(), width_);
  layers_.back().forward(weights, x, first, saved.layers.back(), step);
  convert(first, saved.head.first, step);
  head_.forward(fp32_weights(weights.flat), saved.logits, saved.head, step);
  return saved;
}

template <class T>
Matrix<float> BertClassifier<T>::predict(const LayerWeights<T>& weights, const PackedBatch& batch,
                                         Step& step) const {
  const std::int64_t tokens = batch.tokens();
  Arena& arena = step.arena;
  const Matrix<float> logits = arena.matrix<float>(batch.sequences(), outputs_);
  const ArenaScope scope(arena);
  Matrix<T> x = arena.matrix<T>(tokens, width_);
  Matrix<T> y = arena.matrix<T>(tokens, width_);
  {
    const ArenaScope embedding_scope(arena);
    embeddings_.forward(weights, {batch.ids, batch.segments}, x,
                        ResidualNorm<T>::allocate(tokens, width_, step), step);
  }
  for (std::size_t l = 0; l + 1 < layers_.size(); ++l) {
    step.leave_if_unwanted();
    const ArenaScope layer_scope(arena);
    layers_[l].forward(weights, x, y, layers_[l].allocate(step), step);
    std::swap(x, y);
  }
  const ClassificationHead::Saved head =
      ClassificationHead::allocate(batch.sequences(), width_, arena);
  {
    const ArenaScope layer_scope(arena);
    const EncoderLayer<T>& last = layers_.back();
    const Matrix<T> first = arena.matrix<T>(batch.sequences(), width_);
    last.forward(weights, x, first, last.allocate(step), step);
    convert(first, head.first, step);
  }
  head_.forward(fp32_weights(weights.flat), logits, head, step);
  return logits;
}

template <class T>
void BertClassifier<T>::backward(const LayerWeights<T>& weights, const PackedBatch& batch,
                                 const Saved& saved, Matrix<const float> d_logits,
                                 Gradients gradients, Step& step,
                                 const GradientsReady& ready) const {
  const std::int64_t tokens = batch.tokens();
  Arena& arena = step.arena;
  const ArenaScope scope(arena);
  const Matrix<T> d = arena.matrix<T>(tokens, width_);
  const Matrix<T> x = arena.matrix<T>(tokens, width_);
  const Matrix<T> d_first = arena.matrix<T>(batch.sequences(), width_);
  {
    const ArenaScope head_scope(arena);
    const Matrix<float> d_head_first = arena.matrix<float>(batch.sequences(), width_);
    head_.backward(fp32_weights(weights.flat), saved.head, d_logits, d_head_first, gradients, step);
    convert(d_head_first, d_first, step);
  }
  ready(ready_after_head_);
  for (std::size_t l = layers_.size(); l-- > 0;) {
    step.leave_if_unwanted();
    if (l > 0) layers_[l - 1].recompute_output(weights, saved.layers[l - 1], x, step);
    const bool last = l + 1 == layers_.size();
    layers_[l].backward(weights, saved.layers[l], l > 0 ? x : saved.embedded, last ? d_first : d, d,
                        gradients, step);
    ready(ready_after_layer_[l]);
  }
  embeddings_.backward(weights, {batch.ids, batch.segments}, saved.embeddings, d, gradients, step);
  ready(ready_after_embeddings_);
}

template class BertClassifier<float>;
template class BertClassifier<BFloat16>;

AnyBertClassifier make_bert_classifier(const BertConfig& config, const BertParams& params,
                                       std::int64_t outputs, Precision precision) {
  if (precision == Precision::kBf16) return BertClassifier<BFloat16>(config, params, outputs);
  return BertClassifier<float>(config, params, outputs);
}

std::vector<ParamSlice> encoder_weights(const AnyBertClassifier& classifier) {
  return std::visit([](const auto& typed) { return typed.encoder_weights(); }, classifier);
}

Precision precision_of(const AnyBertClassifier& classifier) {
  return std::holds_alternative<BertClassifier<float>>(classifier) ? Precision::kFp32
                                                                   : Precision::kBf16;
}

}  // namespace tandem
