#include "optim/gradient_norm.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace tandem {

double gradient_norm(std::span<const float> gradients, const kernels::Table& kernels,
                     ThreadPool& pool) {
  constexpr std::int64_t kBlock = 1 << 16;
  const auto count = static_cast<std::int64_t>(gradients.size());
  std::vector<double> sums(static_cast<std::size_t>((count + kBlock - 1) / kBlock));
  pool.run(static_cast<std::int64_t>(sums.size()), [&](std::int64_t block, int) {
    const std::int64_t begin = block * kBlock;
    sums[static_cast<std::size_t>(block)] =
        kernels.sum_of_squares(gradients.data() + begin, std::min(kBlock, count - begin));
  });
  double total = 0;
  for (const double sum : sums) total += sum;
  return std::sqrt(total);
}

double clip_scale(double norm, double max_norm) {
  if (max_norm <= 0) return 1;
  return std::min(1.0, max_norm / (norm + 1e-6));
}

}  // namespace tandem
