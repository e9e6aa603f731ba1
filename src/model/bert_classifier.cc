#include "model/bert_classifier.h"

#include <algorithm>

namespace tandem {
namespace {

std::int64_t end_of(const ParamSlice& slice) { return slice.offset + slice.size(); }

}  // namespace

BertClassifier::BertClassifier(const BertConfig& config, const BertParams& params,
                               std::int64_t outputs)
    : embeddings_{.word = params.word_embeddings,
                  .position = params.position_embeddings,
                  .token_type = params.token_type_embeddings,
                  .norm = params.embedding_norm,
                  .epsilon = config.layer_norm_eps,
                  .dropout_probability = config.hidden_dropout_prob},
      head_{.pooler = params.pooler,
            .classifier = params.classifier,
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

std::vector<ParamSlice> BertClassifier::encoder_weights() const {
  std::vector<ParamSlice> weights;
  for (const EncoderLayer& layer : layers_) {
    for (const ParamSlice& weight : layer.linear_weights()) weights.push_back(weight);
  }
  return weights;
}

BertClassifier::Saved BertClassifier::forward(Weights weights, const PackedBatch& batch,
                                              Step& step) const {
  const std::int64_t tokens = batch.tokens();
  Arena& arena = step.arena;
  Saved saved;
  saved.embeddings = ResidualNorm::allocate(tokens, width_, step);
  saved.embedded = arena.matrix<float>(tokens, width_);
  for (const EncoderLayer& layer : layers_) {
    saved.layers.push_back(layer.allocate(step));
  }
  saved.head = ClassificationHead::allocate(batch.sequences(), width_, arena);
  saved.logits = arena.matrix<float>(batch.sequences(), outputs_);

  const ArenaScope scope(arena);
  Matrix<float> y = arena.matrix<float>(tokens, width_);
  Matrix<float> spare = arena.matrix<float>(tokens, width_);
  embeddings_.forward(weights, {batch.ids, batch.segments}, saved.embedded, saved.embeddings, step);
  Matrix<const float> x = saved.embedded;
  for (std::size_t l = 0; l + 1 < layers_.size(); ++l) {
    layers_[l].forward(weights, x, y, saved.layers[l], step);
    x = y;
    std::swap(y, spare);
  }
  layers_.back().forward(weights, x, saved.head.first, saved.layers.back(), step);
  head_.forward(weights, saved.logits, saved.head, step);
  return saved;
}

Matrix<float> BertClassifier::predict(Weights weights, const PackedBatch& batch, Step& step) const {
  const std::int64_t tokens = batch.tokens();
  Arena& arena = step.arena;
  const Matrix<float> logits = arena.matrix<float>(batch.sequences(), outputs_);
  const ArenaScope scope(arena);
  Matrix<float> x = arena.matrix<float>(tokens, width_);
  Matrix<float> y = arena.matrix<float>(tokens, width_);
  {
    const ArenaScope embedding_scope(arena);
    embeddings_.forward(weights, {batch.ids, batch.segments}, x,
                        ResidualNorm::allocate(tokens, width_, step), step);
  }
  for (std::size_t l = 0; l + 1 < layers_.size(); ++l) {
    const ArenaScope layer_scope(arena);
    layers_[l].forward(weights, x, y, layers_[l].allocate(step), step);
    std::swap(x, y);
  }
  const ClassificationHead::Saved head =
      ClassificationHead::allocate(batch.sequences(), width_, arena);
  {
    const ArenaScope layer_scope(arena);
    const EncoderLayer& last = layers_.back();
    last.forward(weights, x, head.first, last.allocate(step), step);
  }
  head_.forward(weights, logits, head, step);
  return logits;
}

void BertClassifier::backward(Weights weights, const PackedBatch& batch, const Saved& saved,
                              Matrix<const float> d_logits, Gradients gradients, Step& step,
                              const GradientsReady& ready) const {
  const std::int64_t tokens = batch.tokens();
  Arena& arena = step.arena;
  const ArenaScope scope(arena);
  const Matrix<float> d = arena.matrix<float>(tokens, width_);
  const Matrix<float> x = arena.matrix<float>(tokens, width_);
  const Matrix<float> d_first = arena.matrix<float>(batch.sequences(), width_);
  head_.backward(weights, saved.head, d_logits, d_first, gradients, step);
  ready(ready_after_head_);
  for (std::size_t l = layers_.size(); l-- > 0;) {
    if (l > 0) layers_[l - 1].recompute_output(weights, saved.layers[l - 1], x, step);
    const bool last = l + 1 == layers_.size();
    layers_[l].backward(weights, saved.layers[l], l > 0 ? x : saved.embedded, last ? d_first : d, d,
                        gradients, step);
    ready(ready_after_layer_[l]);
  }
  embeddings_.backward(weights, {batch.ids, batch.segments}, saved.embeddings, d, gradients, step);
  ready(ready_after_embeddings_);
}

}  // namespace tandem
