#include "train/update_loss.h"

namespace tandem {

double loss_of(ProblemKind problem, Matrix<const float> logits, std::span<const float> labels,
               double divisor, Matrix<float> d_logits, const CrossEntropyOptions& options) {
  switch (problem) {
    case ProblemKind::kRegression:
      return squared_error(logits, labels, divisor, d_logits);
    case ProblemKind::kMultiLabel:
      return binary_cross_entropy(logits, labels, divisor, d_logits);
    case ProblemKind::kSingleLabel:
      break;
  }
  return cross_entropy(logits, labels, divisor, d_logits, options);
}

double loss_divisor(ProblemKind problem, const TokenDataset& dataset,
                    std::span<const std::uint32_t> examples, std::span<const float> class_weights) {
  const auto count = static_cast<double>(examples.size());
  if (problem == ProblemKind::kMultiLabel)
    return count * static_cast<double>(dataset.label_columns);
  if (problem == ProblemKind::kRegression || class_weights.empty()) return count;
  double sum = 0;
  for (const std::uint32_t example : examples) {
    sum += double{class_weights[static_cast<std::size_t>(dataset.labels[example])]};
  }
  return sum;
}

}  // namespace tandem
