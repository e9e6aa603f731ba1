#include "train/batch_step.h"

#include <algorithm>
#include <variant>

#include "base/error.h"
#include "train/update_loss.h"

namespace tandem {

BatchExtent BatchExtent::grow(const BatchExtent& other) const {
  return {std::max(tokens, other.tokens), std::max(sequences, other.sequences),
          std::max(longest, other.longest)};
}

void check_dataset_fits(const TokenDataset& dataset, const BertConfig& config) {
  for (std::int64_t i = 0; i < dataset.sequences(); ++i) {
    if (dataset.length(i) <= config.max_position_embeddings) continue;
    throw ModelError(
        "config.json: max_position_embeddings is {}, but {}:{} has {} tokens; use a "
        "smaller --max-seq-length",
        config.max_position_embeddings, dataset.source,
        dataset.lines[static_cast<std::size_t>(dataset.example(i))], dataset.length(i));
  }
  const auto check = [&](const std::vector<std::int32_t>& values, std::int64_t rows,
                         const char* key) {
    for (const std::int32_t value : values) {
      if (value >= 0 && value < rows) continue;
      throw ModelError("config.json: {} is {}, but {} has the id {}", key, rows, dataset.source,
                       value);
    }
  };
  check(dataset.ids, config.vocab_size, "vocab_size");
  if (config.type_vocab_size > 0) {
    check(dataset.segments, config.type_vocab_size, "type_vocab_size");
  }
}

BatchExtent extent_of(const TokenDataset& dataset, std::span<const std::uint32_t> examples) {
  BatchExtent extent{.sequences = static_cast<std::int64_t>(examples.size())};
  for (const std::uint32_t example : examples) {
    const std::int64_t length = dataset.length(example);
    extent.tokens += length;
    extent.longest = std::max(extent.longest, length);
  }
  return extent;
}

PackedBatch planning_batch(const BatchExtent& extent) {
  PackedBatch batch;
  const auto tokens = static_cast<std::size_t>(extent.tokens);
  const auto sequences = static_cast<std::size_t>(extent.sequences);
  batch.ids.resize(tokens);
  batch.positions.resize(tokens);
  batch.segments.resize(tokens);
  batch.samples.resize(tokens);
  batch.examples.resize(sequences);
  batch.first_starts.resize(sequences + 1);
  batch.first_positions.resize(sequences);
  batch.labels.resize(sequences);
  for (std::int64_t b = 0; b <= extent.sequences; ++b) {
    batch.starts.push_back(static_cast<std::int32_t>(std::min(b * extent.longest, extent.tokens)));
  }
  TANDEM_CHECK(batch.starts.back() == extent.tokens, "{} tokens in {} sequences of at most {}",
               extent.tokens, extent.sequences, extent.longest);
  return batch;
}

Step make_step(Compute& compute, Arena& arena, const PackedBatch& batch, const Dropout& dropout) {
  return {.kernels = compute.kernels(),
          .pool = compute.pool(),
          .gemm = compute.gemm(),
          .arena = arena,
          .dropout = dropout,
          .batch = {.all = {batch.starts, batch.positions, batch.samples},
                    .first = {batch.first_starts, batch.first_positions, batch.examples}}};
}

namespace {

template <class T>
double forward_and_backward(const BertClassifier<T>& classifier, const ClassifierModel& model,
                            const TrainingBatch& work, Gradients gradients, Step& step,
                            const GradientsReady& ready) {
  const LayerWeights<T> weights = layer_weights<T>(model);
  const auto saved = classifier.forward(weights, work.batch, step);
  const Matrix<float> d_logits = step.arena.matrix<float>(saved.logits.rows, saved.logits.cols);
  step.enter(Phase::kLoss, Pass::kForward);
  double loss = 0;
  step.run(1, [&](std::int64_t, int) {
    loss = loss_of(model.problem, saved.logits, work.batch.labels, work.divisor, d_logits,
                   work.cross_entropy);
  });
  classifier.backward(weights, work.batch, saved, d_logits, gradients, step, ready);
  return loss;
}

}  // namespace

double forward_and_backward(const ClassifierModel& model, const TrainingBatch& work,
                            Gradients gradients, Compute& compute, Arena& arena,
                            const GradientsReady& ready) {
  const ArenaScope scope(arena);
  Step step = make_step(compute, arena, work.batch, work.dropout);
  step.accumulate = work.accumulate;
  step.clock = work.clock;
  step.unwanted = work.unwanted;
  return std::visit(
      [&](const auto& classifier) {
        return forward_and_backward(classifier, model, work, gradients, step, ready);
      },
      model.classifier);
}

Matrix<float> predict_batch(const ClassifierModel& model, const PackedBatch& batch,
                            Compute& compute, Arena& arena) {
  Step step = make_step(compute, arena, batch, {});
  step.backward_follows = false;
  step.quantized = model.quantized;
  return std::visit(
      [&]<class T>(const BertClassifier<T>& classifier) {
        return classifier.predict(layer_weights<T>(model), batch, step);
      },
      model.classifier);
}

std::int64_t plan_training_bytes(const ClassifierModel& model, const BatchExtent& extent,
                                 Compute& compute) {
  Arena counting{Arena::Counting()};
  const PackedBatch batch = planning_batch(extent);
  const TrainingBatch work{.batch = batch, .dropout = {}, .divisor = 1, .accumulate = false};
  // No gradient is touched while planning, so the weights' memory may stand in for theirs.
  forward_and_backward(model, work, Gradients{model.weights}, compute, counting,
                       [](std::int64_t) {});
  return counting.peak_bytes();
}

std::int64_t plan_prediction_bytes(const ClassifierModel& model, const BatchExtent& extent,
                                   Compute& compute) {
  Arena counting{Arena::Counting()};
  const PackedBatch batch = planning_batch(extent);
  predict_batch(model, batch, compute, counting);
  return counting.peak_bytes();
}

}  // namespace tandem
