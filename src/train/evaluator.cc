#include "train/evaluator.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/interrupt.h"
#include "comm/collectives.h"
#include "nn/loss.h"
#include "train/batch_step.h"

namespace tandem {
namespace {

using Batch = std::span<const std::uint32_t>;  // of examples

// Consecutive examples, at least `batch_size` and kLeastTokens of them but for the last batch.
std::vector<Batch> batches_of(const TokenDataset& dataset, std::span<const std::uint32_t> examples,
                              std::int64_t batch_size) {
  constexpr std::int64_t kLeastTokens = 2048;
  std::vector<Batch> batches;
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

// All logits in the data set's order, of ranks that took the batches in turn.
std::vector<float> gather_logits(const std::vector<float>& mine, const std::vector<Batch>& batches,
                                 std::int64_t outputs, Communicator& communicator) {
  const auto ranks = static_cast<std::size_t>(communicator.size());
  const auto columns = static_cast<std::size_t>(outputs);
  std::vector<std::int64_t> sizes(ranks);
  std::size_t floats = 0;
  for (std::size_t b = 0; b < batches.size(); ++b) {
    sizes[b % ranks] += static_cast<std::int64_t>(batches[b].size() * columns * sizeof(float));
    floats += batches[b].size() * columns;
  }
  std::vector<float> by_rank(floats);
  const Pending pending = communicator.start_all_gather(
      std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(by_rank)), sizes);
  constexpr Deadline kLongestEvaluation = std::chrono::hours(1);
  wait_for(*pending, "predictions", kLongestEvaluation);
  std::vector<float> ordered;
  ordered.reserve(floats);
  std::vector<std::size_t> next(ranks);  // of each rank, in by_rank
  for (std::size_t r = 1; r < ranks; ++r) {
    next[r] = next[r - 1] + static_cast<std::size_t>(sizes[r - 1]) / sizeof(float);
  }
  for (std::size_t b = 0; b < batches.size(); ++b) {
    const auto first = by_rank.begin() + static_cast<std::ptrdiff_t>(next[b % ranks]);
    const std::size_t count = batches[b].size() * columns;
    ordered.insert(ordered.end(), first, first + static_cast<std::ptrdiff_t>(count));
    next[b % ranks] += count;
  }
  return ordered;
}

}  // namespace

Predictions predict(const ClassifierModel& model, const TokenDataset& dataset,
                    std::int64_t batch_size, Compute& compute, const PredictionProgress& progress,
                    Communicator* communicator) {
  std::vector<std::uint32_t> order(static_cast<std::size_t>(dataset.size()));
  std::iota(order.begin(), order.end(), 0U);
  const std::vector<Batch> batches = batches_of(dataset, order, batch_size);
  const auto ranks = static_cast<std::size_t>(communicator == nullptr ? 1 : communicator->size());
  const auto rank = static_cast<std::size_t>(communicator == nullptr ? 0 : communicator->rank());
  BatchExtent largest;
  for (const Batch examples : batches) largest = largest.grow(extent_of(dataset, examples));
  Arena arena(plan_prediction_bytes(model, largest, compute));
  std::vector<float> mine;
  for (std::size_t b = rank; b < batches.size(); b += ranks) {
    // Of several ranks all must do the same.
    if (ranks == 1) throw_if_interrupted("predicting");
    const ArenaScope scope(arena);
    const PackedBatch batch = pack(dataset, batches[b]);
    const Matrix<float> logits = predict_batch(model, batch, compute, arena);
    for (std::int64_t r = 0; r < logits.rows; ++r) {
      mine.insert(mine.end(), logits.row(r), logits.row(r) + logits.cols);
    }
    progress(static_cast<std::int64_t>(batches[b].back()) + 1);
  }
  if (ranks == 1) return {.logits = std::move(mine), .outputs = model.outputs};
  return {.logits = gather_logits(mine, batches, model.outputs, *communicator),
          .outputs = model.outputs};
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
