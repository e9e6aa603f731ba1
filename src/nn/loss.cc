#include "nn/loss.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"

namespace tandem {
namespace {

// log(sum exp(logits)). Losses come from this and not from log(probability), which is -inf for a
// very wrong prediction.
double log_sum_exp(std::span<const float> logits) {
  const double highest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits) sum += std::exp(double{logit} - highest);
  return highest + std::log(sum);
}

// How much each class counts in an example's loss: what stands before -log p[k].
void set_targets(std::size_t label, const CrossEntropyOptions& options, std::span<double> targets) {
  const double spread = options.label_smoothing / static_cast<double>(targets.size());
  for (std::size_t k = 0; k < targets.size(); ++k) {
    const double weight = options.class_weights.empty() ? 1 : double{options.class_weights[k]};
    targets[k] = weight * (spread + (k == label ? 1 - options.label_smoothing : 0));
  }
}

}  // namespace

void softmax(std::span<const float> logits, std::span<double> probabilities) {
  const double highest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (std::size_t k = 0; k < logits.size(); ++k) {
    probabilities[k] = std::exp(double{logits[k]} - highest);
    sum += probabilities[k];
  }
  for (double& probability : probabilities) probability /= sum;
}

double sigmoid(double logit) {
  // exp() of a large number would be infinite.
  const double part = std::exp(-std::abs(logit));
  return logit >= 0 ? 1 / (1 + part) : part / (1 + part);
}

double cross_entropy(Matrix<const float> logits, std::span<const float> labels, double divisor,
                     Matrix<float> d_logits, const CrossEntropyOptions& options) {
  const auto outputs = static_cast<std::size_t>(logits.cols);
  TANDEM_CHECK(options.class_weights.empty() || options.class_weights.size() == outputs,
               "{} weights of {} classes", options.class_weights.size(), outputs);
  std::vector<double> probabilities(outputs), targets(outputs);
  double total = 0;
  for (std::int64_t b = 0; b < logits.rows; ++b) {
    const std::span row(logits.row(b), outputs);
    const float id = labels[static_cast<std::size_t>(b)];
    // A NaN, the mark of a row without a label, fails this as well.
    TANDEM_CHECK(id >= 0 && id < static_cast<float>(outputs), "label {} of {}", id, outputs);
    set_targets(static_cast<std::size_t>(id), options, targets);
    const double log_sum = log_sum_exp(row);
    double all_targets = 0;
    for (std::size_t k = 0; k < outputs; ++k) {
      // A class that doesn't count mustn't make a NaN of an infinite logit.
      if (targets[k] != 0) total += targets[k] * (log_sum - double{row[k]}) / divisor;
      all_targets += targets[k];
    }
    if (d_logits.data == nullptr) continue;
    softmax(row, probabilities);
    for (std::size_t k = 0; k < outputs; ++k) {
      d_logits.row(b)[k] =
          static_cast<float>((all_targets * probabilities[k] - targets[k]) / divisor);
    }
  }
  return total;
}

double binary_cross_entropy(Matrix<const float> logits, std::span<const float> labels,
                            double divisor, Matrix<float> d_logits) {
  double total = 0;
  for (std::int64_t b = 0; b < logits.rows; ++b) {
    for (std::int64_t k = 0; k < logits.cols; ++k) {
      const double logit = logits.row(b)[k];
      const double label = labels[static_cast<std::size_t>(b * logits.cols + k)];
      TANDEM_CHECK(label == 0 || label == 1, "label {} of several", label);
      // max(x, 0) - x y + log(1 + exp(-|x|)): neither exponential nor logarithm overflows.
      total +=
          (std::max(logit, 0.0) - logit * label + std::log1p(std::exp(-std::abs(logit)))) / divisor;
      if (d_logits.data == nullptr) continue;
      d_logits.row(b)[k] = static_cast<float>((sigmoid(logit) - label) / divisor);
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
