#include "cli/train_peer.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include "base/cpu.h"
#include "base/error.h"
#include "cli/machine_table.h"
#include "cli/train_job.h"
#include "comm/collectives.h"
#include "model/bert_params.h"
#include "train/agreement.h"
#include "train/evaluator.h"
#include "train/run_log.h"
#include "train/shared_inputs.h"
#include "train/speed_report.h"
#include "train/training_loop.h"

namespace tandem {
namespace {

// The model and the data as they come from the root.
struct Received {
  Received(Communicator& communicator, Compute& compute) {
    broadcast_outline(communicator, outline);
    params = add_bert_params(table, outline.config, outline.outputs);
    memory = std::make_unique<Arena>(table.floats() * static_cast<std::int64_t>(sizeof(float)));
    weights = memory->vector<float>(table.floats());
    classifier = std::make_unique<AnyBertClassifier>(
        make_bert_classifier(outline.config, params, outline.outputs, outline.precision));
    bf16_weights = make_bf16_weights(*classifier, table, weights, compute.pool());
    evaluation_sets.resize(static_cast<std::size_t>(outline.evaluation_sets));
    for (TokenDataset& dataset : evaluation_sets) broadcast_dataset(communicator, dataset);
    if (outline.trains) {
      broadcast_dataset(communicator, training_set);
      broadcast_class_weights(communicator, class_weights);
    }
  }
  void receive_weights(Communicator& communicator, Compute& compute) {
    broadcast_weights(communicator, weights);
    // In place: a ClassifierModel points to it.
    std::ranges::copy(make_bf16_weights(*classifier, table, weights, compute.pool()),
                      bf16_weights.begin());
  }
  ClassifierModel model() {
    return {.classifier = *classifier,
            .table = table,
            .weights = weights,
            .bf16_weights = bf16_weights,
            .problem = outline.problem,
            .outputs = outline.outputs};
  }

  RunOutline outline{};
  ParamTable table;
  BertParams params;
  std::unique_ptr<Arena> memory;  // owns the weights
  std::span<float> weights;
  std::unique_ptr<AnyBertClassifier> classifier;
  std::vector<BFloat16> bf16_weights;
  std::vector<TokenDataset> evaluation_sets;
  TokenDataset training_set;
  std::vector<float> class_weights;
};

[[noreturn]] void end_interrupted(Communicator& communicator) {
  wait_for_last_save(communicator);
  throw Error(ExitCode::kInterrupted, "interrupted");
}

// As far as a rank that writes nothing must know it.
TrainingProgress progress_of(const ResumedAt& resumed) {
  TrainingProgress progress;
  progress.steps = resumed.steps;
  progress.saved_before = resumed.saved_before;
  progress.settled = resumed.settled;
  progress.best.evaluations_without_a_better = resumed.evaluations_without_a_better;
  if (resumed.best_checkpoint >= 0) progress.best_checkpoint = resumed.best_checkpoint;
  return progress;
}

void run_as_peer(const TrainFlags& flags, const ResumedAt& resumed, const Job& job,
                 Compute& compute, Received& received) {
  Communicator& communicator = *job.communicator();
  received.receive_weights(communicator, compute);
  const ClassifierModel model = received.model();
  const auto evaluate = [&] {
    for (const TokenDataset& dataset : received.evaluation_sets) {
      predict(
          model, dataset, flags.eval_batch_size, compute, [](std::int64_t) {}, &communicator);
    }
    return Results();
  };
  LoopResult result;
  if (received.outline.trains) {
    TrainerOptions options = flags.trainer;
    options.class_weights = received.class_weights;
    Trainer trainer(model, received.training_set, options, compute, &communicator);
    check_memory(trainer.memory());
    trainer.allocate();
    if (resumed.steps > 0) broadcast_moments(communicator, trainer.moment1(), trainer.moment2());
    RunLog log;
    result = run_training(trainer, flags.loop, log, {.evaluate = evaluate, .save = {}},
                          progress_of(resumed));
    if (result.interrupted) end_interrupted(communicator);
    const bool another_is_kept = result.best_checkpoint && *result.best_checkpoint != result.steps;
    if (flags.loop.load_best_model_at_end && another_is_kept) {
      received.receive_weights(communicator, compute);
    }
    check_same_weights(communicator, job.hosts(), received.weights);
  }
  if (received.outline.evaluates_at_the_end) evaluate();
  if (received.outline.trains) {
    gather_speeds(&communicator, result.speed, host_name(), compute.pool().size());
  }
}

}  // namespace

void wait_for_last_save(Communicator& communicator) {
  // A large model on a slow disk takes a while.
  constexpr Deadline kLongestSave = std::chrono::hours(1);
  barrier(communicator, "rank 0 to write a checkpoint", kLongestSave);
}

void check_memory(const MemoryPlan& memory) {
  const std::int64_t available = available_memory_bytes() + resident_memory_bytes();
  if (available <= 0 || memory.total() <= available) return;
  throw MachineError(
      "{:.2f} GB of memory are needed, {:.2f} are available; use a smaller "
      "--per-device-train-batch-size with --gradient-accumulation-steps, or a smaller "
      "--max-seq-length",
      gigabytes(memory.total()), gigabytes(available));
}

void train_as_peer(const TrainFlags& flags, const Job& job, Compute& compute) {
  Communicator& communicator = *job.communicator();
  Received received(communicator, compute);
  while (true) {
    RunOrder order;
    broadcast_order(communicator, order);
    if (!order.more) return;
    run_as_peer(flags_for(flags, order, communicator.size()), order.resumed, job, compute,
                received);
  }
}

}  // namespace tandem
