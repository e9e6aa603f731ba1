#include "model/encoder_layer.h"

namespace tandem {

template <class T>
EncoderLayer<T>::EncoderLayer(const BertConfig& config, const EncoderLayerParams& params,
                              std::int64_t layer, Tokens outputs)
    : qkv_{.params = params.qkv, .queries = outputs},
      attention_{.heads = config.num_attention_heads,
                 .dropout_probability = config.attention_probs_dropout_prob,
                 .layer = layer,
                 .queries = outputs},
      attention_output_{params.attention_output},
      attention_norm_{.norm = params.attention_norm,
                      .bias = params.attention_output.bias,
                      .epsilon = config.layer_norm_eps,
                      .dropout_probability = config.attention_output_dropout_prob(),
                      .site = DropoutSite::kAttentionOutput,
                      .layer = layer,
                      .tokens = outputs},
      feed_forward_{.intermediate = {params.intermediate}, .output = {params.output}},
      output_norm_{.norm = params.output_norm,
                   .bias = params.output.bias,
                   .epsilon = config.layer_norm_eps,
                   .dropout_probability = config.hidden_dropout_prob,
                   .site = DropoutSite::kOutput,
                   .layer = layer,
                   .tokens = outputs},
      width_(config.hidden_size),
      intermediate_size_(config.intermediate_size),
      outputs_(outputs) {}

template <class T>
typename EncoderLayer<T>::Saved EncoderLayer<T>::allocate(const Step& step) const {
  const std::int64_t rows = step.batch.rows(outputs_).count();
  return {.qkv = qkv_.allocate(step.batch, width_, step.arena),
          .attention = attention_.allocate(rows, width_, step.arena),
          .attention_norm = ResidualNorm<T>::allocate(rows, width_, step),
          .feed_forward = FeedForward<T>::allocate(rows, intermediate_size_, step.arena),
          .output_norm = ResidualNorm<T>::allocate(rows, width_, step)};
}

template <class T>
std::vector<ParamSlice> EncoderLayer<T>::linear_weights() const {
  std::vector<ParamSlice> weights = qkv_.weights();
  weights.push_back(attention_output_.params.weight);
  weights.push_back(feed_forward_.intermediate.params.weight);
  weights.push_back(feed_forward_.output.params.weight);
  return weights;
}

template <class T>
void EncoderLayer<T>::forward(const LayerWeights<T>& weights, Matrix<const T> x, Matrix<T> y,
                              const Saved& saved, Step& step) const {
  const ArenaScope scope(step.arena);
  const Matrix<T> x1 = step.arena.matrix<T>(y.rows, y.cols);
  qkv_.forward(weights, x, saved.qkv, step);
  attention_.forward(saved.qkv.parts, saved.attention, step);
  step.enter(Phase::kAttentionOutput, Pass::kForward);
  attention_output_.forward_no_bias(weights, saved.attention.context, y, step);
  attention_norm_.forward(weights, y, qkv_.residual(x, saved.qkv), x1, saved.attention_norm, step);
  feed_forward_.forward(weights, x1, y, saved.feed_forward, step);
  output_norm_.forward(weights, y, x1, y, saved.output_norm, step);
}

template <class T>
void EncoderLayer<T>::recompute_output(const LayerWeights<T>& weights, const Saved& saved,
                                       Matrix<T> y, Step& step) const {
  output_norm_.recompute_output(weights, saved.output_norm, y, step);
}

template <class T>
void EncoderLayer<T>::backward(const LayerWeights<T>& weights, const Saved& saved,
                               Matrix<const T> x, Matrix<T> dy, Matrix<T> dx, Gradients gradients,
                               Step& step) const {
  const ArenaScope scope(step.arena);
  const Matrix<T> d_branch = step.arena.matrix<T>(dy.rows, dy.cols);
  output_norm_.backward(weights, saved.output_norm, dy, dy, d_branch, gradients, step);
  {
    const ArenaScope inner(step.arena);
    const Matrix<T> x1 = step.arena.matrix<T>(dy.rows, dy.cols);
    attention_norm_.recompute_output(weights, saved.attention_norm, x1, step);
    feed_forward_.backward(weights, saved.feed_forward, x1, d_branch, dy, gradients, step);
  }
  attention_norm_.backward(weights, saved.attention_norm, dy, dy, d_branch, gradients, step);
  step.enter(Phase::kAttentionOutput, Pass::kBackward);
  attention_output_.backward_weight(saved.attention.context, d_branch, gradients, step);
  const Matrix<T> d_context = step.arena.matrix<T>(dy.rows, dy.cols);
  attention_output_.backward_input(weights, d_branch, d_context, InputGradient::kOverwrite, step);
  const QueryKeyValue<T> d_parts = qkv_.allocate_gradients(saved.qkv, step.arena);
  attention_.backward(saved.qkv.parts, saved.attention, d_context, d_parts, step);
  qkv_.backward(weights, saved.qkv, x, d_parts, dy, dx, gradients, step);
}

template class EncoderLayer<float>;
template class EncoderLayer<BFloat16>;

}  // namespace tandem
