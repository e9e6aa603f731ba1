#include "optim/adamw.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

namespace tandem {
namespace {

struct Chunk {
  std::int64_t offset, count;
  WeightDecay decay;
};

// Parts of at most 64 Ki floats, none of which crosses from decayed to undecayed parameters.
std::vector<Chunk> chunks_of(const ParamTable& table) {
  constexpr std::int64_t kChunk = 1 << 16;
  std::vector<Chunk> chunks;
  for (const ParamInfo& param : table.all()) {
    const std::int64_t end = param.slice.offset + param.slice.size();
    for (std::int64_t at = param.slice.offset; at < end; at += kChunk) {
      chunks.push_back({at, std::min(kChunk, end - at), param.decay});
    }
  }
  return chunks;
}

}  // namespace

void adamw_update(const ParamTable& table, const TrainingArrays& arrays,
                  const AdamWOptions& options, const AdamWStep& step, const kernels::Table& kernels,
                  ThreadPool& pool) {
  const auto t = static_cast<double>(step.update);
  const double correction1 = 1 - std::pow(options.beta1, t);
  const double correction2 = 1 - std::pow(options.beta2, t);
  const std::vector<Chunk> chunks = chunks_of(table);
  pool.run(static_cast<std::int64_t>(chunks.size()), [&](std::int64_t task, int) {
    const Chunk& chunk = chunks[static_cast<std::size_t>(task)];
    const double decay = chunk.decay == WeightDecay::kYes ? options.weight_decay : 0;
    const kernels::AdamWUpdate update = {
        .gradient_scale = static_cast<float>(step.gradient_scale),
        .beta1 = static_cast<float>(options.beta1),
        .beta2 = static_cast<float>(options.beta2),
        .epsilon = static_cast<float>(options.epsilon),
        .one_minus_beta1 = static_cast<float>(1 - options.beta1),
        .one_minus_beta2 = static_cast<float>(1 - options.beta2),
        .decay_factor = static_cast<float>(1 - step.learning_rate * decay),
        .step_size = static_cast<float>(step.learning_rate / correction1),
        .inverse_sqrt_correction2 = static_cast<float>(1 / std::sqrt(correction2))};
    const bool in_bf16_too = chunk.offset < std::ssize(arrays.bf16_weights);
    kernels.adamw(update, chunk.count, arrays.gradients.data() + chunk.offset,
                  arrays.weights.data() + chunk.offset, arrays.moment1.data() + chunk.offset,
                  arrays.moment2.data() + chunk.offset,
                  in_bf16_too ? arrays.bf16_weights.data() + chunk.offset : nullptr);
  });
}

}  // namespace tandem
