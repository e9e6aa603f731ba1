#include "train/trainer.h"

#include <limits>

#include <gtest/gtest.h>

#include "support/error_message.h"
#include "support/golden.h"
#include "train/evaluator.h"

namespace tandem {
namespace {

using testing::Golden;
using testing::GoldenModel;

const Golden& golden() {
  static const Golden file("tiny_bert_expected.safetensors");
  return file;
}

struct Outcome {
  std::vector<double> losses;
  std::vector<float> weights;
};

Outcome train(const TrainerOptions& options, int threads, std::int64_t steps) {
  GoldenModel model(testing::golden_path("tiny_bert"), 3, threads);
  const TokenDataset dataset = golden().dataset();
  Trainer trainer(model.view, dataset, options, model.compute);
  trainer.allocate();
  Outcome run;
  for (std::int64_t step = 0; step < steps; ++step) {
    run.losses.push_back(trainer.run_step(step).loss);
  }
  run.weights.assign(model.loaded.weights.begin(), model.loaded.weights.end());
  return run;
}

TEST(Trainer, GivesTheSameBitsForAnyNumberOfThreadsAndWhenRunAgain) {
  const TrainerOptions options{.micro_batch_size = 4, .num_train_epochs = 10};
  const Outcome one = train(options, 1, 20);
  const Outcome two = train(options, 2, 20);
  const Outcome three = train(options, 3, 20);
  const Outcome again = train(options, 2, 20);
  EXPECT_EQ(one.losses, two.losses);
  EXPECT_EQ(one.weights, two.weights);
  EXPECT_EQ(one.weights, three.weights);
  EXPECT_EQ(two.weights, again.weights);
}

TEST(Trainer, AccumulatedMicroBatchesLearnWhatOneBatchLearnsWithTheSameMasks) {
  // 6 examples: updates of 4 and, at the end of an epoch, of 2; in micro-batches of 1 and of 2.
  const Outcome whole = train({.micro_batch_size = 4, .num_train_epochs = 3}, 2, 6);
  for (const std::int64_t micro : {1, 2}) {
    const Outcome parts = train({.micro_batch_size = micro,
                                 .gradient_accumulation_steps = 4 / micro,
                                 .num_train_epochs = 3},
                                2, 6);
    for (std::size_t step = 0; step < whole.losses.size(); ++step) {
      // The order of sums differs; Adam amplifies that, within 1e-5 for the first ten steps.
      EXPECT_NEAR(parts.losses[step], whole.losses[step], 1e-5) << "step " << step;
    }
  }
}

TEST(Trainer, AnotherSeedGivesAnotherOrderAndOtherMasks) {
  const Outcome first = train({.micro_batch_size = 4, .seed = 1}, 2, 3);
  const Outcome second = train({.micro_batch_size = 4, .seed = 2}, 2, 3);
  EXPECT_NE(first.losses, second.losses);
}

TEST(Trainer, CountsStepsAsTheReference) {
  GoldenModel model(testing::golden_path("tiny_bert"), 3);
  const TokenDataset dataset = golden().dataset();
  const auto steps = [&](const TrainerOptions& options) {
    return Trainer(model.view, dataset, options, model.compute).total_steps();
  };
  EXPECT_EQ(steps({.micro_batch_size = 4, .num_train_epochs = 3}), 6);
  EXPECT_EQ(steps({.micro_batch_size = 4, .num_train_epochs = 3, .drop_last = true}), 3);
  EXPECT_EQ(steps({.micro_batch_size = 4, .num_train_epochs = 0.5}), 1);
  EXPECT_EQ(steps({.micro_batch_size = 4, .num_train_epochs = 3, .max_steps = 100}), 100);
}

TEST(Trainer, WarmsUpByStepsOrByAShareInBothSpellings) {
  const auto rates = [&](const TrainerOptions& options) {
    GoldenModel model(testing::golden_path("tiny_bert"), 3);
    const TokenDataset dataset = golden().dataset();
    Trainer trainer(model.view, dataset, options, model.compute);
    trainer.allocate();
    std::vector<double> found;
    for (std::int64_t step = 0; step < 4; ++step) {
      found.push_back(trainer.run_step(step).learning_rate);
    }
    return found;
  };
  const std::vector<double> of_three_steps = {0, 1e-4 / 3, 2e-4 / 3, 1e-4};
  for (const TrainerOptions& options :
       {TrainerOptions{.max_steps = 12, .learning_rate = 1e-4, .warmup_steps = 3},
        TrainerOptions{.max_steps = 12, .learning_rate = 1e-4, .warmup_steps = 0.2},
        TrainerOptions{.max_steps = 12, .learning_rate = 1e-4, .warmup_ratio = 0.2},
        TrainerOptions{
            .max_steps = 12, .learning_rate = 1e-4, .warmup_steps = 3, .warmup_ratio = 1}}) {
    const std::vector<double> found = rates(options);
    for (std::size_t step = 0; step < found.size(); ++step) {
      EXPECT_DOUBLE_EQ(found[step], of_three_steps[step]);
    }
  }
}

TEST(Trainer, StopsBeforeTheUpdateWhenTheLossIsNotFiniteAndNamesTheRows) {
  GoldenModel model(testing::golden_path("tiny_bert"), 3);
  const TokenDataset dataset = golden().dataset();
  const auto pooler = static_cast<std::size_t>(model.loaded.params.pooler.bias.offset);
  model.loaded.weights[pooler] = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> before(model.loaded.weights.begin(), model.loaded.weights.end());
  Trainer trainer(model.view, dataset, {.micro_batch_size = 6}, model.compute);
  trainer.allocate();
  const auto failure = testing::failure_of([&] { trainer.run_step(0); });
  EXPECT_EQ(failure.code, ExitCode::kWall);
  EXPECT_NE(failure.message.find("lines 1, 2, 3, 4, 5, 6"), std::string::npos) << failure.message;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (i != pooler) {
      ASSERT_EQ(model.loaded.weights[i], before[i]);
    }
  }
}

TEST(Trainer, PlansTheMemoryThatAStepTakes) {
  GoldenModel model(testing::golden_path("tiny_bert"), 3);
  const TokenDataset dataset = golden().dataset();
  const std::vector<std::uint32_t> all = testing::all_examples(dataset);
  const std::int64_t planned =
      plan_training_bytes(model.view, extent_of(dataset, all), model.compute);
  const PackedBatch batch = pack(dataset, all);
  Arena arena(planned);
  const TrainingBatch work{.batch = batch, .dropout = {}, .divisor = 6, .accumulate = false};
  forward_and_backward(model.view, work, Gradients{model.gradients}, model.compute, arena,
                       [](std::int64_t) {});
  EXPECT_EQ(arena.peak_bytes(), planned);
}

TEST(Evaluator, GivesTheLogitsOfTheReferenceInInputOrder) {
  GoldenModel model(testing::golden_path("tiny_bert"), 3);
  const TokenDataset dataset = golden().dataset();
  const std::vector<float> expected = golden().values("logits");
  const Predictions predictions =
      predict(model.view, dataset, 4, model.compute, [](std::int64_t) {});
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(predictions.logits[i], expected[i], 1e-5);
  }
  EXPECT_NEAR(mean_loss(predictions, dataset, ProblemKind::kSingleLabel), golden().value("loss"),
              1e-5);
}

TEST(Evaluator, GivesTheSameLogitsForAnyBatchSize) {
  GoldenModel model(testing::golden_path("tiny_bert"), 3);
  const TokenDataset few = golden().dataset();
  TokenDataset many = few;
  // So often that they come to several batches of 2,048 tokens.
  std::int64_t tokens = 0;
  while (tokens < 7000) {
    for (std::int64_t i = 0; i < few.size(); ++i) {
      const auto begin = few.ids.begin() + few.starts[static_cast<std::size_t>(i)];
      const auto segment = few.segments.begin() + few.starts[static_cast<std::size_t>(i)];
      many.ids.insert(many.ids.end(), begin, begin + few.length(i));
      many.segments.insert(many.segments.end(), segment, segment + few.length(i));
      many.starts.push_back(static_cast<std::int64_t>(many.ids.size()));
      many.labels.push_back(few.labels[static_cast<std::size_t>(i)]);
      many.lines.push_back(few.lines[static_cast<std::size_t>(i)]);
      tokens += few.length(i);
    }
  }
  const std::vector<float> expected = golden().values("logits");
  for (const auto& [batch_size, batches] : {std::pair<std::int64_t, int>{1, 4}, {100000, 1}}) {
    int calls = 0;
    std::int64_t done = 0;
    const Predictions predictions =
        predict(model.view, many, batch_size, model.compute, [&](std::int64_t count) {
          ++calls;
          done = count;
        });
    EXPECT_EQ(done, many.size());
    EXPECT_EQ(calls, batches);
    for (std::size_t i = 0; i < predictions.logits.size(); ++i) {
      ASSERT_NEAR(predictions.logits[i], expected[i % expected.size()], 1e-5);
    }
  }
}

}  // namespace
}  // namespace tandem
