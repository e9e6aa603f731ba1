#pragma once
// What training makes small, and its gradient with respect to the logits.

#include <cstdint>
#include <span>

#include "tensor/matrix.h"

namespace tandem {

// Both are sums over the batch's examples, divided by `divisor`: the number of examples in the
// whole update, so that the losses and gradients of micro-batches and ranks simply add up.

// -log softmax(logits)[label]. labels [B] are class ids. Writes d_logits [B, K] unless it is empty.
double cross_entropy(Matrix<const float> logits, std::span<const float> labels, double divisor,
                     Matrix<float> d_logits);

// (logit - label)²; logits [B, 1]. Writes d_logits [B, 1] unless it is empty.
double squared_error(Matrix<const float> logits, std::span<const float> labels, double divisor,
                     Matrix<float> d_logits);

// softmax of one row of logits, in double.
void softmax(std::span<const float> logits, std::span<double> probabilities);

}  // namespace tandem
