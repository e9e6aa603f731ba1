#include "nn/row_dropout.h"

namespace tandem {

void apply_dropout(Matrix<float> x, const TokenRows& rows, const kernels::DropoutKey& key,
                   Step& step) {
  if (key.threshold == 0) return;
  step.run_row_blocks(x.rows, [&](std::int64_t begin, std::int64_t end) {
    step.kernels.dropout(key, rows.from(begin), extent_of(x, begin, end), x.row(begin));
  });
}

}  // namespace tandem
