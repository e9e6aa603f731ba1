#pragma once
// The global norm of the gradient, and the factor that clips it.

#include <span>

#include "base/thread.h"
#include "kernels/table.h"

namespace tandem {

// The Euclidean norm of the flat array, in double, over fixed blocks summed in order: the same bits
// for any number of threads. Not finite when an element isn't.
double gradient_norm(std::span<const float> gradients, const kernels::Table&, ThreadPool&);

// min(1, max_norm / (norm + 1e-6)), as torch.nn.utils.clip_grad_norm_; 1 when max_norm is 0, which
// means no clipping.
double clip_scale(double norm, double max_norm);

}  // namespace tandem
