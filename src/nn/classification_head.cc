#include "nn/classification_head.h"

#include <algorithm>
#include <cmath>

#include "nn/row_dropout.h"

namespace tandem {
namespace {

float activate(HeadActivation activation, float x) {
  return activation == HeadActivation::kTanh ? std::tanh(x) : std::max(x, 0.0F);
}
// From what activate() gave.
float derivative(HeadActivation activation, float y) {
  if (activation == HeadActivation::kTanh) return 1 - y * y;
  return y > 0 ? 1.0F : 0.0F;
}

}  // namespace

ClassificationHead::Saved ClassificationHead::allocate(std::int64_t sequences, std::int64_t width,
                                                       Arena& arena) {
  return {arena.matrix<float>(sequences, width), arena.matrix<float>(sequences, width),
          arena.matrix<float>(sequences, width)};
}

void ClassificationHead::forward(const LayerWeights<float>& weights, Matrix<float> logits,
                                 const Saved& saved, Step& step) const {
  step.enter(Phase::kHead, Pass::kForward);
  pooler.forward(weights, saved.first, saved.pooled, step);
  step.run(saved.pooled.rows, [&](std::int64_t b, int) {
    for (std::int64_t c = 0; c < saved.pooled.cols; ++c) {
      saved.pooled.row(b)[c] = activate(activation, saved.pooled.row(b)[c]);
      saved.dropped.row(b)[c] = saved.pooled.row(b)[c];
    }
  });
  apply_dropout(saved.dropped, step.batch.first,
                step.dropout.key(dropout_probability, DropoutSite::kClassifier), step);
  classifier.forward(weights, saved.dropped, logits, step);
}

void ClassificationHead::backward(const LayerWeights<float>& weights, const Saved& saved,
                                  Matrix<const float> d_logits, Matrix<float> d_first,
                                  Gradients gradients, Step& step) const {
  step.enter(Phase::kHead, Pass::kBackward);
  const ArenaScope scope(step.arena);
  const Matrix<float> d_pooled = step.arena.matrix<float>(saved.pooled.rows, saved.pooled.cols);
  classifier.backward(weights, saved.dropped, d_logits, d_pooled, InputGradient::kOverwrite,
                      gradients, step);

  apply_dropout(d_pooled, step.batch.first,
                step.dropout.key(dropout_probability, DropoutSite::kClassifier), step);
  step.run(d_pooled.rows, [&](std::int64_t b, int) {
    for (std::int64_t c = 0; c < d_pooled.cols; ++c) {
      d_pooled.row(b)[c] *= derivative(activation, saved.pooled.row(b)[c]);
    }
  });
  pooler.backward(weights, saved.first, d_pooled, d_first, InputGradient::kOverwrite, gradients,
                  step);
}

}  // namespace tandem
