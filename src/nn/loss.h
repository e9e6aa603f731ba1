#pragma once
// What training makes small, and its gradient with respect to the logits.

#include <cstdint>
#include <span>

#include "tensor/matrix.h"

namespace tandem {

// All are sums over the batch's examples, divided by `divisor`: what the whole update has of them
// (examples, or the sum of their class weights, or examples times labels), so that the losses and
// gradients of micro-batches and ranks simply add up. They write d_logits, of the logits' shape,
// unless it is empty.

// As torch's CrossEntropyLoss(weight, label_smoothing): with p = softmax(logits) and the weights w,
// an example of class y has the loss
//   -(1 - s) w[y] log p[y] - s / K sum_k w[k] log p[k].
struct CrossEntropyOptions {
  std::span<const float> class_weights = {};  // w, [K]; empty: 1 each
  double label_smoothing = 0;                 // s, from 0 to below 1
};

// labels [B] are class ids.
double cross_entropy(Matrix<const float> logits, std::span<const float> labels, double divisor,
                     Matrix<float> d_logits, const CrossEntropyOptions& options = {});

// As torch's BCEWithLogitsLoss: -y log sigmoid(logit) - (1 - y) log sigmoid(-logit) over all
// labels. labels [B, K] are 0 or 1.
double binary_cross_entropy(Matrix<const float> logits, std::span<const float> labels,
                            double divisor, Matrix<float> d_logits);

// (logit - label)²; logits [B, 1].
double squared_error(Matrix<const float> logits, std::span<const float> labels, double divisor,
                     Matrix<float> d_logits);

// softmax of one row of logits, in double.
void softmax(std::span<const float> logits, std::span<double> probabilities);
// 1 / (1 + exp(-logit)).
double sigmoid(double logit);

}  // namespace tandem
