#include "nn/loss.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"

namespace tandem {

void softmax(std::span<const float> logits, std::span<double> probabilities) {
  const double highest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (std::size_t k = 0; k < logits.size(); ++k) {
    probabilities[k] = std::exp(double{logits[k]} - highest);
    sum += probabilities[k];
  }
  for (double& probability : probabilities) probability /= sum;
}

double cross_entropy(Matrix<const float> logits, std::span<const float> labels, double divisor,
                     Matrix<float> d_logits) {
  const auto outputs = static_cast<std::size_t>(logits.cols);
  std::vector<double> probabilities(outputs);
  double total = 0;
  for (std::int64_t b = 0; b < logits.rows; ++b) {
    const std::span row(logits.row(b), outputs);
    const float id = labels[static_cast<std::size_t>(b)];
    // A NaN, the mark of a row without a label, fails this as well.
    TANDEM_CHECK(id >= 0 && id < static_cast<float>(outputs), "label {} of {}", id, outputs);
    const auto label = static_cast<std::size_t>(id);
    softmax(row, probabilities);
    // From the logits and not from log(probability), which is -inf for a very wrong prediction.
    const double highest = *std::max_element(row.begin(), row.end());
    double sum = 0;
    for (const float logit : row) sum += std::exp(double{logit} - highest);
    total += (highest + std::log(sum) - double{row[label]}) / divisor;
    if (d_logits.data == nullptr) continue;
    for (std::size_t k = 0; k < outputs; ++k) {
      d_logits.row(b)[k] = static_cast<float>((probabilities[k] - (k == label ? 1 : 0)) / divisor);
    }
  }
  return total;
}

double squared_error(Matrix<const float> logits, std::span<const float> labels, double divisor,
                     Matrix<float> d_logits) {
  double total = 0;
  for (std::int64_t b = 0; b < logits.rows; ++b) {
    const double error = double{logits.row(b)[0]} - double{labels[static_cast<std::size_t>(b)]};
    total += error * error / divisor;
    if (d_logits.data != nullptr) d_logits.row(b)[0] = static_cast<float>(2 * error / divisor);
  }
  return total;
}

}  // namespace tandem
