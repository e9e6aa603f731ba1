#include "train/evaluator.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/interrupt.h"
#include "comm/collectives.h"
#include "train/batch_step.h"
#include "train/update_loss.h"

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

// The logits of examples from those of the sequences that they were divided into.
std::vector<float> average_pieces(std::vector<float> logits, const TokenDataset& dataset,
                                  std::int64_t outputs) {
  if (dataset.example_of.empty()) return logits;
  const auto columns = static_cast<std::size_t>(outputs);
  const auto examples = static_cast<std::size_t>(dataset.size());
  std::vector<double> sums(examples * columns);
  std::vector<double> pieces(examples);
  for (std::size_t sequence = 0; sequence < dataset.example_of.size(); ++sequence) {
    const std::size_t example = dataset.example_of[sequence];
    ++pieces[example];
    for (std::size_t k = 0; k < columns; ++k) {
      sums[example * columns + k] += double{logits[sequence * columns + k]};
    }
  }
  logits.resize(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    logits[i] = static_cast<float>(sums[i] / pieces[i / columns]);
  }
  return logits;
}

}  // namespace

Predictions predict(const ClassifierModel& model, const TokenDataset& dataset,
                    std::int64_t batch_size, Compute& compute, const PredictionProgress& progress,
                    Communicator* communicator) {
  std::vector<std::uint32_t> order(static_cast<std::size_t>(dataset.sequences()));
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
  if (ranks > 1) mine = gather_logits(mine, batches, model.outputs, *communicator);
  return {.logits = average_pieces(std::move(mine), dataset, model.outputs),
          .outputs = model.outputs};
}

double mean_loss(const Predictions& predictions, const TokenDataset& dataset, ProblemKind kind) {
  const auto labels = static_cast<double>(
      dataset.size() * (kind == ProblemKind::kMultiLabel ? dataset.label_columns : 1));
  return loss_of(kind, predictions.rows(), dataset.labels, labels, {});
}

Judged judge(const Predictions& predictions, const TokenDataset& dataset, ProblemKind kind) {
  Judged judged;
  judged.classes = kind == ProblemKind::kRegression ? 0 : predictions.outputs;
  judged.several = kind == ProblemKind::kMultiLabel;
  for (const float logit : predictions.logits) {
    if (std::isfinite(logit)) continue;
    throw WallError("{}: the model's outputs are not finite; its weights are of no use",
                    dataset.source);
  }
  judged.actual.assign(dataset.labels.begin(), dataset.labels.end());
  const Matrix<const float> rows = predictions.rows();
  for (std::int64_t r = 0; r < rows.rows; ++r) {
    const float* const row = rows.row(r);
    if (judged.several) {
      for (std::int64_t k = 0; k < rows.cols; ++k) judged.predicted.push_back(row[k] > 0 ? 1 : 0);
      continue;
    }
    judged.predicted.push_back(
        kind == ProblemKind::kRegression
            ? double{row[0]}
            : static_cast<double>(std::max_element(row, row + rows.cols) - row));
  }
  return judged;
}

}  // namespace tandem
