#include "train/training_loop.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/error_message.h"
#include "support/golden.h"
#include "support/random_model.h"
#include "support/thread_ranks.h"
#include "train/step_benchmark.h"

namespace tandem {
namespace {

using Steps = std::vector<std::int64_t>;

BertConfig smallest_model() {
  BertConfig config;
  config.vocab_size = 20;
  config.hidden_size = 16;
  config.num_hidden_layers = 1;
  config.num_attention_heads = 2;
  config.intermediate_size = 16;
  return config;
}

// What a loop did: with 6 examples in batches of 2, three updates an epoch.
struct Trace {
  Steps evaluated, saved, logged, judged;
  LoopResult result;
  nlohmann::json state;
};

// The evaluations give `accuracies` one after the other, and the last of them from then on.
Trace trace_of(const LoopOptions& options, const std::vector<double>& accuracies,
               std::int64_t steps = 9, Communicator* communicator = nullptr) {
  Compute compute(testing::kernels_under_test(), 1);
  testing::RandomModel random(smallest_model(), Precision::kFp32, compute);
  const TokenDataset dataset = random_dataset(Steps{3, 4, 5, 3, 4, 5}, 20);
  const TrainerOptions trainer_options{
      .micro_batch_size = 2, .max_steps = steps, .global_batch_size = 2};
  Trainer trainer(random.view(), dataset, trainer_options, compute, communicator);
  trainer.allocate();
  const bool root = communicator == nullptr || communicator->rank() == 0;
  Trace trace;
  RunLog log;
  std::size_t evaluations = 0;
  LoopActions actions;
  actions.evaluate = [&]() -> Results {
    const double accuracy = accuracies[std::min(evaluations++, accuracies.size() - 1)];
    // What other ranks would find must not matter.
    if (!root) return {};
    return {{"eval_accuracy", accuracy}, {"eval_loss", 1 - accuracy}};
  };
  actions.save = [&](const TrainingProgress& so_far) {
    EXPECT_TRUE(root);
    trace.saved.push_back(so_far.steps);
  };
  actions.judge_pace = [&](const SpeedRecord& so_far) {
    trace.judged.push_back(static_cast<std::int64_t>(so_far.steps().size()));
  };
  trace.result = run_training(trainer, options, log, actions);
  trace.state = nlohmann::json::parse(log.trainer_state(trainer_options, options, trainer,
                                                        {.steps = trace.result.steps,
                                                         .tokens = trace.result.tokens,
                                                         .best = trace.result.best.evaluation}));
  for (const nlohmann::json& entry : trace.state["log_history"]) {
    (entry.contains("eval_loss") ? trace.evaluated : trace.logged)
        .push_back(entry["step"].get<std::int64_t>());
  }
  return trace;
}

constexpr IntervalStrategy kNo = IntervalStrategy::kNo;
constexpr IntervalStrategy kSteps = IntervalStrategy::kSteps;
constexpr IntervalStrategy kEpoch = IntervalStrategy::kEpoch;
constexpr IntervalStrategy kBest = IntervalStrategy::kBest;

TEST(TrainingLoop, LogsByStepsEpochsOrNotAtAll) {
  EXPECT_EQ(trace_of({.logging_steps = 4}, {0}).logged, (Steps{4, 8, 9}));
  EXPECT_EQ(trace_of({.logging_steps = 4, .logging_first_step = true}, {0}).logged,
            (Steps{1, 4, 8, 9}));
  EXPECT_EQ(trace_of({.logging_steps = 0.3}, {0}).logged, (Steps{3, 6, 9}));
  EXPECT_EQ(trace_of({.logging_strategy = kEpoch}, {0}, 8).logged, (Steps{3, 6, 8}));
  EXPECT_EQ(trace_of({.logging_strategy = kNo}, {0}).logged, (Steps{}));
}

TEST(TrainingLoop, EvaluatesByStepsAndAtTheEndOrByEpochs) {
  EXPECT_EQ(trace_of({}, {0}).evaluated, (Steps{}));
  EXPECT_EQ(trace_of({.eval_strategy = kSteps, .eval_steps = 4}, {0}).evaluated, (Steps{4, 8, 9}));
  EXPECT_EQ(trace_of({.eval_strategy = kSteps, .eval_steps = 0.5}, {0}).evaluated, (Steps{5, 9}));
  EXPECT_EQ(trace_of({.eval_strategy = kEpoch}, {0}, 8).evaluated, (Steps{3, 6, 8}));
}

TEST(TrainingLoop, PutsEvaluationsOffInUpdatesOrEpochs) {
  EXPECT_EQ(trace_of({.eval_strategy = kSteps, .eval_steps = 2, .eval_delay = 5}, {0}).evaluated,
            (Steps{6, 8, 9}));
  EXPECT_EQ(trace_of({.eval_strategy = kEpoch, .eval_delay = 2}, {0}).evaluated, (Steps{6, 9}));
}

TEST(TrainingLoop, SavesByStepsEpochsOrWhenItIsTheBest) {
  EXPECT_EQ(trace_of({}, {0}).saved, (Steps{})) << "too short for a checkpoint";
  EXPECT_EQ(trace_of({.save_steps = 4}, {0}).saved, (Steps{4, 8, 9}));
  EXPECT_EQ(trace_of({.save_strategy = kEpoch}, {0}, 8).saved, (Steps{3, 6, 8}));
  EXPECT_EQ(trace_of({.save_strategy = kNo}, {0}).saved, (Steps{}));
  const Trace best = trace_of(
      {.eval_strategy = kEpoch, .save_strategy = kBest, .metric_for_best_model = "accuracy"},
      {0.5, 0.4, 0.6});
  EXPECT_EQ(best.saved, (Steps{3, 9}));
  EXPECT_EQ(best.result.best_checkpoint, 9);
}

TEST(TrainingLoop, AlwaysSavesANewBestThatIsToBeLoaded) {
  const Trace trace = trace_of({.eval_strategy = kSteps,
                                .eval_steps = 1,
                                .save_steps = 3,
                                .load_best_model_at_end = true,
                                .metric_for_best_model = "accuracy"},
                               {0.1, 0.2, 0.2, 0.1, 0.9, 0.5});
  EXPECT_EQ(trace.saved, (Steps{1, 2, 3, 5, 6, 9}));
  EXPECT_EQ(trace.result.best.evaluation->step, 5);
  EXPECT_EQ(trace.result.best_checkpoint, 5);
}

TEST(TrainingLoop, LooksAtItsPaceOnce) {
  EXPECT_EQ(trace_of({}, {0}, 10).judged, (Steps{}));
  EXPECT_EQ(trace_of({}, {0}, 30).judged, (Steps{kStepsOfPace}));
}

TEST(TrainingLoop, StopsEarlyAndKnowsTheBest) {
  const Trace trace = trace_of({.eval_strategy = kSteps,
                                .eval_steps = 1,
                                .metric_for_best_model = "accuracy",
                                .early_stopping_patience = 2},
                               {0.5, 0.6, 0.6, 0.3});
  EXPECT_EQ(trace.evaluated, (Steps{1, 2, 3, 4}));
  EXPECT_TRUE(trace.result.stopped_early);
  EXPECT_EQ(trace.result.steps, 4);
  EXPECT_EQ(trace.logged, (Steps{4})) << "the updates since the last entry";
  EXPECT_EQ(trace.state["best_metric"], 0.6);
  EXPECT_EQ(trace.state["best_global_step"], 2);
  EXPECT_EQ(trace.state["global_step"], 4);
  EXPECT_EQ(trace.state["max_steps"], 9);
}

TEST(TrainingLoop, PatienceThatEndsWithTheLastUpdateStopsNothing) {
  const Trace trace =
      trace_of({.eval_strategy = kEpoch, .early_stopping_patience = 2}, {0.5, 0.4, 0.3});
  EXPECT_EQ(trace.result.steps, 9);
  EXPECT_FALSE(trace.result.stopped_early);
}

TEST(TrainingLoop, WithoutAQuestionForTheBestThereIsNone) {
  const Trace trace = trace_of({.eval_strategy = kEpoch}, {0.5});
  EXPECT_FALSE(trace.result.best.evaluation);
  EXPECT_EQ(trace.state["best_metric"], nullptr);
}

// Only rank 0 has results; all must stop at the same update, or some would wait for ever.
TEST(TrainingLoop, DecidesOnceForAllRanks) {
  const LoopOptions options{.eval_strategy = kSteps,
                            .eval_steps = 1,
                            .save_strategy = kBest,
                            .load_best_model_at_end = true,
                            .metric_for_best_model = "accuracy",
                            .early_stopping_patience = 2};
  std::vector<Trace> traces(3);
  run_ranks(3, [&](Communicator& communicator) {
    traces[static_cast<std::size_t>(communicator.rank())] =
        trace_of(options, {0.5, 0.6, 0.6, 0.3}, 9, &communicator);
  });
  EXPECT_EQ(traces[0].saved, (Steps{1, 2}));
  for (const Trace& trace : traces) {
    EXPECT_EQ(trace.result.steps, 4);
    EXPECT_TRUE(trace.result.stopped_early);
    EXPECT_EQ(trace.result.best.evaluation->step, 2);
    EXPECT_EQ(trace.result.best.evaluation->value, 0.6);
    EXPECT_EQ(trace.result.best_checkpoint, 2);
  }
  EXPECT_TRUE(traces[1].saved.empty());
}

TEST(TrainingLoop, AMetricThatIsNotThereEndsAllRanks) {
  const LoopOptions options{.eval_strategy = kEpoch, .metric_for_best_model = "f2"};
  const auto failure = testing::failure_of([&] {
    run_ranks(2, [&](Communicator& communicator) { trace_of(options, {0.5}, 9, &communicator); });
  });
  EXPECT_EQ(failure.code, ExitCode::kUsage);
}

}  // namespace
}  // namespace tandem
