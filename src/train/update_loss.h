#pragma once
// The loss of each kind of problem, and what it is divided by in an update.

#include <span>

#include "data/token_dataset.h"
#include "nn/loss.h"

namespace tandem {

// Mean squared error for regression, binary cross entropy for several labels at once, cross entropy
// (to which alone the options apply) otherwise. Shapes as in nn/loss.h.
double loss_of(ProblemKind, Matrix<const float> logits, std::span<const float> labels,
               double divisor, Matrix<float> d_logits, const CrossEntropyOptions& options = {});

// What the losses of these examples are divided by to be their mean, as torch's losses define it:
// their number; with class weights the sum of theirs; with several labels at once their number
// times that of the labels.
double loss_divisor(ProblemKind, const TokenDataset&, std::span<const std::uint32_t> examples,
                    std::span<const float> class_weights);

}  // namespace tandem
