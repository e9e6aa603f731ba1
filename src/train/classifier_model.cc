#include "train/classifier_model.h"

#include <algorithm>
#include <iterator>

#include "base/error.h"

namespace tandem {

template <>
LayerWeights<float> layer_weights(const ClassifierModel& model) {
  return fp32_weights(model.weights);
}

template <>
LayerWeights<BFloat16> layer_weights(const ClassifierModel& model) {
  TANDEM_CHECK(std::ssize(model.bf16_weights) == embeddings_offset(model.table),
               "{} weights in bf16", model.bf16_weights.size());
  return {{model.weights}, model.bf16_weights};
}

std::vector<BFloat16> make_bf16_weights(const AnyBertClassifier& classifier,
                                        const ParamTable& table, std::span<const float> all_weights,
                                        ThreadPool& pool) {
  if (precision_of(classifier) == Precision::kFp32) return {};
  const std::span<const float> weights =
      all_weights.first(static_cast<std::size_t>(embeddings_offset(table)));
  std::vector<BFloat16> rounded(weights.size());
  constexpr std::size_t kPart = 1 << 16;
  const std::size_t tasks = (weights.size() + kPart - 1) / kPart;
  pool.run(static_cast<std::int64_t>(tasks), [&](std::int64_t task, int) {
    const std::size_t begin = static_cast<std::size_t>(task) * kPart;
    const std::size_t end = std::min(begin + kPart, weights.size());
    for (std::size_t i = begin; i < end; ++i) rounded[i] = round_to<BFloat16>(weights[i]);
  });
  return rounded;
}

}  // namespace tandem
