// The same job on one, two, three and four ranks: the same samples, masks and learning.
#include <cmath>

#include <gtest/gtest.h>

#include "support/kernels_under_test.h"
#include "support/random_model.h"
#include "support/thread_ranks.h"
#include "train/evaluator.h"
#include "train/step_benchmark.h"
#include "train/trainer.h"

namespace tandem {
namespace {

constexpr std::int64_t kSteps = 10;

BertConfig small_model() {
  BertConfig config;
  config.vocab_size = 90;
  config.hidden_size = 32;
  config.num_hidden_layers = 2;
  config.num_attention_heads = 4;
  config.intermediate_size = 64;
  return config;
}

TokenDataset small_dataset() {
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i < 27; ++i) lengths.push_back(4 + i * 11 % 30);
  return random_dataset(lengths, small_model().vocab_size);
}

struct Result {
  std::vector<double> losses;
  std::vector<float> weights, logits;
};

// Trains on this rank, in batches of 8 of all ranks together: each epoch's last has 3.
Result train(const TrainerOptions& options, Precision precision, Communicator& communicator) {
  Compute compute(testing::kernels_under_test(), 1);
  testing::RandomModel random(small_model(), precision, compute);
  const ClassifierModel model = random.view();
  const TokenDataset dataset = small_dataset();
  Result result;
  Trainer trainer(model, dataset, options, compute, &communicator);
  trainer.allocate();
  for (std::int64_t step = 0; step < kSteps; ++step) {
    result.losses.push_back(trainer.run_step(step).loss);
  }
  result.logits = predict(
                      model, dataset, 4, compute, [](std::int64_t) {}, &communicator)
                      .logits;
  result.weights = random.weights();
  return result;
}

std::vector<Result> train_on(int ranks, TrainerOptions options,
                             Precision precision = Precision::kFp32) {
  options.global_batch_size = 8;
  options.max_steps = kSteps;
  options.reducer.piece_floats = 3000;
  std::vector<Result> results(static_cast<std::size_t>(ranks));
  run_ranks(ranks, [&](Communicator& communicator) {
    results[static_cast<std::size_t>(communicator.rank())] =
        train(options, precision, communicator);
  });
  for (const Result& result : results) {
    EXPECT_EQ(result.weights, results[0].weights) << "ranks differ";
    EXPECT_EQ(result.losses, results[0].losses);
    EXPECT_EQ(result.logits, results[0].logits);
  }
  return results;
}

void expect_close(const std::vector<double>& actual, const std::vector<double>& expected,
                  double tolerance) {
  for (std::size_t step = 0; step < expected.size(); ++step) {
    EXPECT_NEAR(actual[step], expected[step], tolerance) << "step " << step;
  }
}

TEST(Ranks, LearnTheSameInFp32HoweverMany) {
  const TrainerOptions options{.reducer = {.wire = WireType::kFp32}};
  const Result alone = train_on(1, options).front();
  for (const int ranks : {2, 3, 4}) {
    SCOPED_TRACE(ranks);
    expect_close(train_on(ranks, options).front().losses, alone.losses, 1e-5);
  }
}

TEST(Ranks, LearnTheSameInMicroBatches) {
  const TrainerOptions options{.gradient_accumulation_steps = 2,
                               .reducer = {.wire = WireType::kFp32}};
  const Result alone = train_on(1, options).front();
  for (const int ranks : {2, 3}) {
    SCOPED_TRACE(ranks);
    expect_close(train_on(ranks, options).front().losses, alone.losses, 1e-5);
  }
}

TEST(Ranks, LearnTheSameWithClassWeightsAndSmoothedLabels) {
  const TrainerOptions options{.gradient_accumulation_steps = 2,
                               .class_weights = {0.5F, 3},
                               .label_smoothing = 0.1,
                               .reducer = {.wire = WireType::kFp32}};
  const Result alone = train_on(1, options).front();
  for (const int ranks : {2, 3}) {
    SCOPED_TRACE(ranks);
    expect_close(train_on(ranks, options).front().losses, alone.losses, 1e-5);
  }
}

// Rounding gradients to 8 bits moves each step a little.
TEST(Ranks, LearnNearlyTheSameWithABf16Wire) {
  const TrainerOptions options{.reducer = {.wire = WireType::kBf16}};
  const Result alone = train_on(1, options).front();
  for (const int ranks : {2, 4}) {
    SCOPED_TRACE(ranks);
    expect_close(train_on(ranks, options).front().losses, alone.losses, 1e-3);
  }
}

TEST(Ranks, LearnInBf16) {
  const TrainerOptions options{.reducer = {.wire = WireType::kBf16}};
  const Result alone = train_on(1, options, Precision::kBf16).front();
  expect_close(train_on(2, options, Precision::kBf16).front().losses, alone.losses, 2e-2);
}

// A run too long for its batches to be looked at, whose plan is an estimate from above.
TEST(Ranks, PlanEnoughMemoryForVeryLongRuns) {
  for (const int ranks : {1, 2, 3}) {
    SCOPED_TRACE(ranks);
    run_ranks(ranks, [&](Communicator& communicator) {
      Compute compute(testing::kernels_under_test(), 1);
      testing::RandomModel random(small_model(), Precision::kFp32, compute);
      const TokenDataset dataset = small_dataset();
      const auto activations = [&](std::int64_t steps) {
        const TrainerOptions options{
            .micro_batch_size = 1, .max_steps = steps, .global_batch_size = 8};
        return Trainer(random.view(), dataset, options, compute, &communicator)
            .memory()
            .activations;
      };
      EXPECT_GE(activations(1'000'000), activations(1000));
    });
  }
}

// With no step to tell them apart: the same weights on one and on three ranks.
TEST(Ranks, PredictTheSameBitsHoweverMany) {
  Compute maker(testing::kernels_under_test(), 1);
  testing::RandomModel random(small_model(), Precision::kFp32, maker);
  const ClassifierModel model = random.view();
  const TokenDataset dataset = small_dataset();
  const std::vector<float> alone = predict(model, dataset, 4, maker, [](std::int64_t) {}).logits;
  run_ranks(3, [&](Communicator& communicator) {
    Compute compute(testing::kernels_under_test(), 1);
    EXPECT_EQ(predict(
                  model, dataset, 4, compute, [](std::int64_t) {}, &communicator)
                  .logits,
              alone);
  });
}

}  // namespace
}  // namespace tandem
