#include "nn/classification_head.h"

#include <cmath>

namespace tandem {
namespace {

// One row a sequence: its mask is that of position 0 of the sample.
void apply_dropout(Matrix<float> x, const kernels::DropoutKey& key, Step& step) {
  if (key.threshold == 0) return;
  constexpr std::int32_t kFirstPosition = 0;
  step.run(x.rows, [&](std::int64_t b, int) {
    const auto first = static_cast<std::size_t>(step.batch.starts[static_cast<std::size_t>(b)]);
    step.kernels.dropout(key, {step.batch.samples.data() + first, &kFirstPosition}, 1, x.cols,
                         x.row(b));
  });
}

}  // namespace

ClassificationHead::Saved ClassificationHead::allocate(std::int64_t sequences, std::int64_t width,
                                                       Arena& arena) {
  return {arena.matrix<float>(sequences, width), arena.matrix<float>(sequences, width),
          arena.matrix<float>(sequences, width)};
}

void ClassificationHead::forward(Weights weights, Matrix<float> logits, const Saved& saved,
                                 Step& step) const {
  linear_forward(pooler, weights, saved.first, saved.pooled, step);
  step.run(saved.pooled.rows, [&](std::int64_t b, int) {
    for (std::int64_t c = 0; c < saved.pooled.cols; ++c) {
      saved.pooled.row(b)[c] = std::tanh(saved.pooled.row(b)[c]);
      saved.dropped.row(b)[c] = saved.pooled.row(b)[c];
    }
  });
  apply_dropout(saved.dropped, step.dropout.key(dropout_probability, DropoutSite::kClassifier),
                step);
  linear_forward(classifier, weights, saved.dropped, logits, step);
}

void ClassificationHead::backward(Weights weights, const Saved& saved, Matrix<const float> d_logits,
                                  Matrix<float> d_first, Gradients gradients, Step& step) const {
  const ArenaScope scope(step.arena);
  const Matrix<float> d_pooled = step.arena.matrix<float>(saved.pooled.rows, saved.pooled.cols);
  linear_backward_weight(classifier, saved.dropped, d_logits, gradients, step);
  linear_backward_bias(classifier, d_logits, gradients, step);
  linear_backward_input(classifier, weights, d_logits, d_pooled, InputGradient::kOverwrite, step);

  apply_dropout(d_pooled, step.dropout.key(dropout_probability, DropoutSite::kClassifier), step);
  step.run(d_pooled.rows, [&](std::int64_t b, int) {
    for (std::int64_t c = 0; c < d_pooled.cols; ++c) {
      const float y = saved.pooled.row(b)[c];
      d_pooled.row(b)[c] *= 1 - y * y;
    }
  });
  linear_backward_weight(pooler, saved.first, d_pooled, gradients, step);
  linear_backward_bias(pooler, d_pooled, gradients, step);
  linear_backward_input(pooler, weights, d_pooled, d_first, InputGradient::kOverwrite, step);
}

}  // namespace tandem
