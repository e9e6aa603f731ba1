#pragma once
// Dropout of a whole matrix, in place.

#include "nn/step.h"

namespace tandem {

// x = dropout(x), forward and backward alike; `rows` says which token each row of x is.
template <class T>
void apply_dropout(Matrix<T> x, const TokenRows& rows, const kernels::DropoutKey&, Step&);

}  // namespace tandem
