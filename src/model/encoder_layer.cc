#include "model/encoder_layer.h"

namespace tandem {

EncoderLayer::EncoderLayer(const BertConfig& config, const EncoderLayerParams& params,
                           std::int64_t layer, Tokens outputs)
    : qkv_{.params = params.qkv, .queries = outputs},
      attention_{.heads = config.num_attention_heads,
                 .dropout_probability = config.attention_probs_dropout_prob,
                 .layer = layer,
                 .queries = outputs},
      attention_output_(params.attention_output),
      attention_norm_{.norm = params.attention_norm,
                      .bias = params.attention_output.bias,
                      .epsilon = config.layer_norm_eps,
                      .dropout_probability = config.hidden_dropout_prob,
                      .site = DropoutSite::kAttentionOutput,
                      .layer = layer,
                      .tokens = outputs},
      feed_forward_{.intermediate = params.intermediate, .output = params.output},
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

EncoderLayer::Saved EncoderLayer::allocate(const Step& step) const {
  const std::int64_t rows = step.batch.rows(outputs_).count();
  return {.qkv = qkv_.allocate(step.batch, width_, step.arena),
          .attention = attention_.allocate(rows, width_, step.arena),
          .attention_norm = ResidualNorm::allocate(rows, width_, step),
          .feed_forward = FeedForward::allocate(rows, intermediate_size_, step.arena),
          .output_norm = ResidualNorm::allocate(rows, width_, step)};
}

std::vector<ParamSlice> EncoderLayer::linear_weights() const {
  std::vector<ParamSlice> weights = qkv_.weights();
  weights.push_back(attention_output_.weight);
  weights.push_back(feed_forward_.intermediate.weight);
  weights.push_back(feed_forward_.output.weight);
  return weights;
}

void EncoderLayer::forward(Weights weights, Matrix<const float> x, Matrix<float> y,
                           const Saved& saved, Step& step) const {
  const ArenaScope scope(step.arena);
  const Matrix<float> x1 = step.arena.matrix<float>(y.rows, y.cols);
  qkv_.forward(weights, x, saved.qkv, step);
  attention_.forward(saved.qkv.parts, saved.attention, step);
  step.enter(Phase::kAttentionOutput, Pass::kForward);
  linear_forward_no_bias(attention_output_, weights, saved.attention.context, y, step);
  attention_norm_.forward(weights, y, qkv_.residual(x, saved.qkv), x1, saved.attention_norm, step);
  feed_forward_.forward(weights, x1, y, saved.feed_forward, step);
  output_norm_.forward(weights, y, x1, y, saved.output_norm, step);
}

void EncoderLayer::recompute_output(Weights weights, const Saved& saved, Matrix<float> y,
                                    Step& step) const {
  output_norm_.recompute_output(weights, saved.output_norm, y, step);
}

void EncoderLayer::backward(Weights weights, const Saved& saved, Matrix<const float> x,
                            Matrix<float> dy, Matrix<float> dx, Gradients gradients,
                            Step& step) const {
  const ArenaScope scope(step.arena);
  const Matrix<float> d_branch = step.arena.matrix<float>(dy.rows, dy.cols);
  output_norm_.backward(weights, saved.output_norm, dy, dy, d_branch, gradients, step);
  {
    const ArenaScope inner(step.arena);
    const Matrix<float> x1 = step.arena.matrix<float>(dy.rows, dy.cols);
    attention_norm_.recompute_output(weights, saved.attention_norm, x1, step);
    feed_forward_.backward(weights, saved.feed_forward, x1, d_branch, dy, gradients, step);
  }
  attention_norm_.backward(weights, saved.attention_norm, dy, dy, d_branch, gradients, step);
  step.enter(Phase::kAttentionOutput, Pass::kBackward);
  linear_backward_weight(attention_output_, saved.attention.context, d_branch, gradients, step);
  const Matrix<float> d_context = step.arena.matrix<float>(dy.rows, dy.cols);
  linear_backward_input(attention_output_, weights, d_branch, d_context, InputGradient::kOverwrite,
                        step);
  const QueryKeyValue<float> d_parts = qkv_.allocate_gradients(saved.qkv, step.arena);
  attention_.backward(saved.qkv.parts, saved.attention, d_context, d_parts, step);
  qkv_.backward(weights, saved.qkv, x, d_parts, dy, dx, gradients, step);
}

}  // namespace tandem
