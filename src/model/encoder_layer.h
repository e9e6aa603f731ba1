#pragma once
// One layer of BERT's encoder.

#include "model/bert_config.h"
#include "model/bert_params.h"
#include "nn/attention.h"
#include "nn/feed_forward.h"
#include "nn/residual_norm.h"
#include "nn/step.h"

namespace tandem {

// x1 = LayerNorm(x + dropout(Attention(x))), y = LayerNorm(x1 + dropout(FeedForward(x1))): the
// post-norm layer of Vaswani et al. 2017 as Devlin et al. 2018 use it.
class EncoderLayer {
 public:
  EncoderLayer(const BertConfig& config, const EncoderLayerParams& params, std::int64_t layer);

  // What backward needs: 10 C + H + 2 floats a token for F = 4 C. The outputs of both norms are
  // computed again from their normalised rows.
  struct Saved {
    Matrix<float> qkv;  // [T, 3C]
    SelfAttention::Saved attention;
    ResidualNorm::Saved attention_norm;
    FeedForward::Saved feed_forward;
    ResidualNorm::Saved output_norm;
  };
  Saved allocate(std::int64_t tokens, Arena&) const;

  // y [T, C] from x [T, C], which must not be the same memory.
  void forward(Weights, Matrix<const float> x, Matrix<float> y, const Saved&, Step&) const;
  // y once more, from what was saved.
  void recompute_output(Weights, const Saved&, Matrix<float> y, Step&) const;
  // On entry d [T, C] is the gradient of y, on return that of x. x is forward's input again.
  void backward(Weights, const Saved&, Matrix<const float> x, Matrix<float> d, Gradients,
                Step&) const;

 private:
  LinearParams qkv_, attention_output_;
  SelfAttention attention_;
  ResidualNorm attention_norm_;
  FeedForward feed_forward_;
  ResidualNorm output_norm_;
  std::int64_t width_, intermediate_size_;
};

}  // namespace tandem
