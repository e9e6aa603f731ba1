#pragma once
// The training loop's one step: batch, forward, backward, clip, update.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "data/batch_plan.h"
#include "data/token_dataset.h"
#include "nn/compute.h"
#include "optim/adamw.h"
#include "optim/schedule.h"
#include "tensor/arena.h"
#include "train/batch_step.h"
#include "train/checkpoint_arrays.h"
#include "train/classifier_model.h"
#include "train/gradient_reducer.h"
#include "train/step_times.h"

namespace tandem {

// Names and defaults of transformers' TrainingArguments.
struct TrainerOptions {
  std::int64_t micro_batch_size = 8;  // per_device_train_batch_size
  std::int64_t gradient_accumulation_steps = 1;
  double num_train_epochs = 3;
  std::int64_t max_steps = -1;  // overrides num_train_epochs when positive
  std::uint64_t seed = 42;
  bool drop_last = false;
  SampleOrder order = SampleOrder::kShuffled;
  double learning_rate = 5e-5;
  double warmup_steps = 0;  // below 1: a share of all, as in transformers 5
  double warmup_ratio = 0;  // of all steps, when warmup_steps is 0, as in transformers 4
  ScheduleShape schedule = {};
  AdamWOptions adamw = {};
  double max_grad_norm = 1;
  std::vector<float> class_weights = {};  // of cross entropy, [K]; empty: 1 each
  double label_smoothing = 0;             // of cross entropy: label_smoothing_factor
  // With several ranks: examples of an update over all of them; 0: as many on each as one alone
  // would take.
  std::int64_t global_batch_size = 0;
  ReducerOptions reducer = {};

  // Examples of an update over so many ranks.
  std::int64_t examples_of_update(std::int64_t ranks) const {
    if (global_batch_size > 0) return global_batch_size;
    return micro_batch_size * gradient_accumulation_steps * ranks;
  }
};

struct StepResult {
  double loss = 0;           // mean over the update's examples
  double gradient_norm = 0;  // before clipping
  double learning_rate = 0;
  std::int64_t tokens = 0, examples = 0;
  bool interrupted = false;  // this process or another of the job was asked to end
  bool abandoned = false;    // and so the step was left without an update: the rest says nothing
  StepTimes times = {};
};

// What a run will hold in memory, in bytes.
struct MemoryPlan {
  std::int64_t parameters;   // weights, their copy in bf16, gradients and both moments
  std::int64_t activations;  // of the largest batch
  std::int64_t dataset;
  std::int64_t communication;  // pieces of gradients under way
  std::int64_t total() const { return parameters + activations + dataset + communication; }
};

class Trainer {
 public:
  // The data set must have at least one example, each with a label. With a communicator this is
  // one rank of several, which all have the same model, data set and options; null: alone. Throws
  // UsageError for options that leave nothing to train on or don't fit the number of updates.
  Trainer(const ClassifierModel&, const TokenDataset&, const TrainerOptions&, Compute&,
          Communicator* communicator = nullptr);

  std::int64_t total_steps() const { return total_steps_; }
  std::int64_t steps_per_epoch() const { return plan_.steps_per_epoch(); }
  std::int64_t examples_of_update() const { return plan_.batch_size; }
  double epoch_after(std::int64_t step) const;  // fraction of epochs done after update `step`
  const MemoryPlan& memory() const { return memory_; }
  Precision precision() const { return precision_of(model_.classifier); }
  Communicator* communicator() const { return communicator_; }  // null when alone

  // Takes the memory that memory() speaks of. Must come before run_step.
  void allocate();
  // What the updates so far made of weights and moments, and the moments alone to be written to
  // when an earlier training is gone on with. Come after allocate().
  CheckpointArrays arrays() const;
  std::span<float> moment1() { return moment1_; }
  std::span<float> moment2() { return moment2_; }
  // Update `step`, from 0. A loss or gradient that isn't finite is a WallError that names the rows
  // of the batch; the weights are then as they were before the step.
  // When interrupted() the step is left at the next layer; with several ranks all leave it then.
  // With a clock the step's phases are timed by it.
  StepResult run_step(std::int64_t step, PhaseClock* clock = nullptr);
  // Throws WallError when a weight isn't finite: the last update's own check would have been the
  // next step's loss.
  void check_weights() const;

 private:
  // This rank's part of an update's examples.
  std::vector<std::uint32_t> own_part(std::span<const std::uint32_t> examples) const;
  // Examples of a micro-batch, of so many that are this rank's.
  std::int64_t micro_batch_of(std::size_t examples) const;
  BatchExtent largest_batch() const;
  BatchExtent largest_conceivable_batch() const;
  double accumulate_gradients(std::int64_t step, std::span<const std::uint32_t> mine,
                              double divisor, StepTimes&, PhaseClock*);
  // The loss of this rank's part, or nothing when the step was left.
  std::optional<double> gradients_unless_unwanted(std::int64_t step,
                                                  std::span<const std::uint32_t> mine,
                                                  double divisor, StepTimes&, PhaseClock*);
  std::string rows_of(std::span<const std::uint32_t> examples) const;

  ClassifierModel model_;
  const TokenDataset& dataset_;
  TrainerOptions options_;
  Compute& compute_;
  Communicator* communicator_;
  BatchPlan plan_;
  std::int64_t total_steps_;
  Schedule schedule_;
  MemoryPlan memory_;
  std::unique_ptr<Arena> arena_;
  std::unique_ptr<Arena> state_;  // owns the next three
  std::span<float> gradients_, moment1_, moment2_;
  std::unique_ptr<GradientReducer> reducer_;
  Stopwatch since_together_;  // since all ranks had each other's losses
};

}  // namespace tandem
