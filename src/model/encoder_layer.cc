#include "model/encoder_layer.h"

namespace tandem {

EncoderLayer::EncoderLayer(const BertConfig& config, const EncoderLayerParams& params,
                           std::int64_t layer)
    : qkv_(params.qkv),
      attention_output_(params.attention_output),
      attention_{.heads = config.num_attention_heads,
                 .dropout_probability = config.attention_probs_dropout_prob,
                 .layer = layer},
      attention_norm_{.norm = params.attention_norm,
                      .bias = params.attention_output.bias,
                      .epsilon = config.layer_norm_eps,
                      .dropout_probability = config.hidden_dropout_prob,
                      .site = DropoutSite::kAttentionOutput,
                      .layer = layer},
      feed_forward_{.intermediate = params.intermediate, .output = params.output},
      output_norm_{.norm = params.output_norm,
                   .bias = params.output.bias,
                   .epsilon = config.layer_norm_eps,
                   .dropout_probability = config.hidden_dropout_prob,
                   .site = DropoutSite::kOutput,
                   .layer = layer},
      width_(config.hidden_size),
      intermediate_size_(config.intermediate_size) {}

EncoderLayer::Saved EncoderLayer::allocate(std::int64_t tokens, Arena& arena) const {
  return {.qkv = arena.matrix<float>(tokens, 3 * width_),
          .attention = attention_.allocate(tokens, width_, arena),
          .attention_norm = ResidualNorm::allocate(tokens, width_, arena),
          .feed_forward = FeedForward::allocate(tokens, intermediate_size_, arena),
          .output_norm = ResidualNorm::allocate(tokens, width_, arena)};
}

void EncoderLayer::forward(Weights weights, Matrix<const float> x, Matrix<float> y,
                           const Saved& saved, Step& step) const {
  const ArenaScope scope(step.arena);
  const Matrix<float> x1 = step.arena.matrix<float>(x.rows, x.cols);
  linear_forward(qkv_, weights, x, saved.qkv, step);
  attention_.forward(saved.qkv, saved.attention, step);
  linear_forward_no_bias(attention_output_, weights, saved.attention.context, y, step);
  attention_norm_.forward(weights, y, x, x1, saved.attention_norm, step);
  feed_forward_.forward(weights, x1, y, saved.feed_forward, step);
  output_norm_.forward(weights, y, x1, y, saved.output_norm, step);
}

void EncoderLayer::recompute_output(Weights weights, const Saved& saved, Matrix<float> y,
                                    Step& step) const {
  output_norm_.recompute_output(weights, saved.output_norm, y, step);
}

void EncoderLayer::backward(Weights weights, const Saved& saved, Matrix<const float> x,
                            Matrix<float> d, Gradients gradients, Step& step) const {
  const ArenaScope scope(step.arena);
  const Matrix<float> d_branch = step.arena.matrix<float>(x.rows, x.cols);
  output_norm_.backward(weights, saved.output_norm, d, d, d_branch, gradients, step);
  {
    const ArenaScope inner(step.arena);
    const Matrix<float> x1 = step.arena.matrix<float>(x.rows, x.cols);
    attention_norm_.recompute_output(weights, saved.attention_norm, x1, step);
    feed_forward_.backward(weights, saved.feed_forward, x1, d_branch, d, gradients, step);
  }
  attention_norm_.backward(weights, saved.attention_norm, d, d, d_branch, gradients, step);
  linear_backward_weight(attention_output_, saved.attention.context, d_branch, gradients, step);
  const Matrix<float> d_context = step.arena.matrix<float>(x.rows, x.cols);
  linear_backward_input(attention_output_, weights, d_branch, d_context, InputGradient::kOverwrite,
                        step);
  const Matrix<float> d_qkv = step.arena.matrix<float>(saved.qkv.rows, saved.qkv.cols);
  attention_.backward(saved.qkv, saved.attention, d_context, d_qkv, step);
  linear_backward_weight(qkv_, x, d_qkv, gradients, step);
  linear_backward_bias(qkv_, d_qkv, gradients, step);
  linear_backward_input(qkv_, weights, d_qkv, d, InputGradient::kAdd, step);
}

}  // namespace tandem
