#include "nn/row_dropout.h"

namespace tandem {

template <class T>
void apply_dropout(Matrix<T> x, const TokenRows& rows, const kernels::DropoutKey& key, Step& step) {
  if (key.threshold == 0) return;
  step.run_row_blocks(x.rows, [&](std::int64_t begin, std::int64_t end, int) {
    step.kernels.of<T>().dropout(key, rows.from(begin), extent_of(x, begin, end), x.row(begin));
  });
}

template void apply_dropout(Matrix<float>, const TokenRows&, const kernels::DropoutKey&, Step&);
template void apply_dropout(Matrix<BFloat16>, const TokenRows&, const kernels::DropoutKey&, Step&);

}  // namespace tandem
