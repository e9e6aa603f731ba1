#include "train/evaluator.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/interrupt.h"
#include "nn/loss.h"
#include "train/batch_step.h"

namespace tandem {
namespace {

// Consecutive examples, at least `batch_size` and kLeastTokens of them but for the last batch.
std::vector<std::span<const std::uint32_t>> batches_of(const TokenDataset& dataset,
                                                       std::span<const std::uint32_t> examples,
                                                       std::int64_t batch_size) {
  constexpr std::int64_t kLeastTokens = 2048;
  std::vector<std::span<const std::uint32_t>> batches;
  std::size_t begin = 0;
  std::int64_t tokens = 0;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    tokens += dataset.length(examples[i]);
    const std::size_t count = i + 1 - begin;
    const bool full = static_cast<std::int64_t>(count) >= batch_size && tokens >= kLeastTokens;
    if (!full && i + 1 < examples.size()) continue;
    batches.push_back(examples.subspan(begin, count));
    begin = i + 1;
    tokens = 0;
  }
  return batches;
}

}  // namespace

Predictions predict(const ClassifierModel& model, const TokenDataset& dataset,
                    std::int64_t batch_size, Compute& compute, const PredictionProgress& progress) {
  std::vector<std::uint32_t> order(static_cast<std::size_t>(dataset.size()));
  std::iota(order.begin(), order.end(), 0U);
  const std::vector<std::span<const std::uint32_t>> batches =
      batches_of(dataset, order, batch_size);
  BatchExtent largest;
  for (const auto examples : batches) largest = largest.grow(extent_of(dataset, examples));
  Arena arena(plan_prediction_bytes(model, largest, compute));
  Predictions predictions{.logits = {}, .outputs = model.outputs};
  predictions.logits.reserve(order.size() * static_cast<std::size_t>(model.outputs));
  for (const auto examples : batches) {
    throw_if_interrupted("predicting");
    const ArenaScope scope(arena);
    const PackedBatch batch = pack(dataset, examples);
    const Matrix<float> logits = predict_batch(model, batch, compute, arena);
    for (std::int64_t b = 0; b < logits.rows; ++b) {
      predictions.logits.insert(predictions.logits.end(), logits.row(b),
                                logits.row(b) + logits.cols);
    }
    progress(static_cast<std::int64_t>(examples.back()) + 1);
  }
  return predictions;
}

double mean_loss(const Predictions& predictions, const TokenDataset& dataset, ProblemKind kind) {
  const auto examples = static_cast<double>(dataset.size());
  return kind == ProblemKind::kRegression
             ? squared_error(predictions.rows(), dataset.labels, examples, {})
             : cross_entropy(predictions.rows(), dataset.labels, examples, {});
}

Judged judge(const Predictions& predictions, const TokenDataset& dataset, ProblemKind kind) {
  Judged judged;
  judged.classes = kind == ProblemKind::kRegression ? 0 : predictions.outputs;
  for (const float logit : predictions.logits) {
    if (std::isfinite(logit)) continue;
    throw WallError("{}: the model's outputs are not finite; its weights are of no use",
                    dataset.source);
  }
  judged.actual.assign(dataset.labels.begin(), dataset.labels.end());
  const Matrix<const float> rows = predictions.rows();
  for (std::int64_t r = 0; r < rows.rows; ++r) {
    const float* const row = rows.row(r);
    judged.predicted.push_back(
        kind == ProblemKind::kRegression
            ? double{row[0]}
            : static_cast<double>(std::max_element(row, row + rows.cols) - row));
  }
  return judged;
}

}  // namespace tandem
