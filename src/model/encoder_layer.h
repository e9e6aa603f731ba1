#pragma once
// One layer of BERT's encoder.

#include <vector>

#include "model/bert_config.h"
#include "model/bert_params.h"
#include "nn/attention.h"
#include "nn/feed_forward.h"
#include "nn/qkv_projection.h"
#include "nn/residual_norm.h"
#include "nn/step.h"

namespace tandem {

// x1 = LayerNorm(x + dropout(Attention(x))), y = LayerNorm(x1 + dropout(FeedForward(x1))): the
// post-norm layer of Vaswani et al. 2017 as Devlin et al. 2018 use it. Activations are of type T.
template <class T>
class EncoderLayer {
 public:
  // `outputs`: the R tokens that y has a row for. What comes after keys and values is computed for
  // these alone, which is exact, and all that the last layer's reader needs.
  EncoderLayer(const BertConfig& config, const EncoderLayerParams& params, std::int64_t layer,
               Tokens outputs);

  // What backward needs: 10 C elements and H + 2 floats a token for F = 4 C, of which 2 C are for
  // all tokens and the rest for those of the output. The outputs of both norms are computed again
  // from their normalised rows.
  struct Saved {
    typename QkvProjection<T>::Saved qkv;
    typename SelfAttention<T>::Saved attention;
    typename ResidualNorm<T>::Saved attention_norm;
    typename FeedForward<T>::Saved feed_forward;
    typename ResidualNorm<T>::Saved output_norm;
  };
  Saved allocate(const Step&) const;

  // y [R, C] from x [T, C], which must not be the same memory.
  void forward(const LayerWeights<T>&, Matrix<const T> x, Matrix<T> y, const Saved&, Step&) const;
  // y once more, from what was saved.
  void recompute_output(const LayerWeights<T>&, const Saved&, Matrix<T> y, Step&) const;
  // dx [T, C] from dy [R, C], which is overwritten and, with all tokens, the same memory. x is
  // forward's input again.
  void backward(const LayerWeights<T>&, const Saved&, Matrix<const T> x, Matrix<T> dy, Matrix<T> dx,
                Gradients, Step&) const;

  // The weights of its linear maps, each as forward uses it.
  std::vector<ParamSlice> linear_weights() const;

 private:
  QkvProjection<T> qkv_;
  SelfAttention<T> attention_;
  Linear<T> attention_output_;
  ResidualNorm<T> attention_norm_;
  FeedForward<T> feed_forward_;
  ResidualNorm<T> output_norm_;
  std::int64_t width_, intermediate_size_;
  Tokens outputs_;
};

}  // namespace tandem
