#include "train/trainer.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>
#include <string>

#include <fmt/ranges.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "comm/collectives.h"
#include "optim/gradient_norm.h"
#include "train/shard.h"
#include "train/update_loss.h"

namespace tandem {
namespace {

std::int64_t total_steps_of(const TrainerOptions& options, const BatchPlan& plan) {
  if (plan.steps_per_epoch() == 0) {
    throw UsageError(
        "--dataloader-drop-last leaves nothing of {} rows in batches of {}; leave it out, or use a "
        "smaller --per-device-train-batch-size",
        plan.examples, plan.whole_multiple_of);
  }
  if (options.max_steps > 0) return options.max_steps;
  const double steps = options.num_train_epochs * static_cast<double>(plan.steps_per_epoch());
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(steps)));
}

std::int64_t warmup_steps_of(const TrainerOptions& options, std::int64_t total_steps) {
  if (options.warmup_steps >= 1) return static_cast<std::int64_t>(options.warmup_steps);
  const double share = options.warmup_steps > 0 ? options.warmup_steps : options.warmup_ratio;
  return static_cast<std::int64_t>(std::ceil(share * static_cast<double>(total_steps)));
}

std::int64_t bytes_of(const TokenDataset& dataset) {
  return static_cast<std::int64_t>((dataset.ids.size() + dataset.segments.size()) *
                                       sizeof(std::int32_t) +
                                   dataset.starts.size() * sizeof(std::int64_t) * 2);
}

void set_to_zero(std::span<float> array, ThreadPool& pool) {
  constexpr std::size_t kBlock = 1 << 20;
  const std::size_t blocks = (array.size() + kBlock - 1) / kBlock;
  pool.run(static_cast<std::int64_t>(blocks), [&](std::int64_t block, int) {
    const std::size_t begin = static_cast<std::size_t>(block) * kBlock;
    std::ranges::fill(array.subspan(begin, std::min(kBlock, array.size() - begin)), 0.0F);
  });
}

double without_sign_of_nan(double value) { return std::isnan(value) ? std::abs(value) : value; }

std::int64_t ranks_of(const Communicator* communicator) {
  return communicator == nullptr ? 1 : communicator->size();
}

std::vector<std::int32_t> token_ids_of(const TokenDataset& dataset,
                                       std::span<const std::uint32_t> examples) {
  std::vector<std::int32_t> ids;
  for (const std::uint32_t example : examples) {
    const auto first = dataset.ids.begin() + dataset.starts[example];
    ids.insert(ids.end(), first, first + dataset.length(example));
  }
  return ids;
}

// What each rank tells all others after a step.
struct StepReport {
  double loss = 0;
  bool interrupted = false;
  bool abandoned = false;
};

// The sum of the losses in rank order, the same on every rank, and whether any was interrupted.
StepReport combine(Communicator& communicator, const StepReport& mine) {
  StepReport result;
  for (const StepReport& report : all_gather_values(communicator, mine, "losses")) {
    result.loss += report.loss;
    result.interrupted = result.interrupted || report.interrupted;
    result.abandoned = result.abandoned || report.abandoned;
  }
  return result;
}

// The update's examples, a micro-batch at a time.
template <class Body>
void for_micro_batches(std::span<const std::uint32_t> examples, std::int64_t size,
                       const Body& body) {
  const auto step = static_cast<std::size_t>(size);
  for (std::size_t begin = 0; begin < examples.size(); begin += step) {
    body(examples.subspan(begin, std::min(step, examples.size() - begin)), begin > 0);
  }
}

}  // namespace

Trainer::Trainer(const ClassifierModel& model, const TokenDataset& dataset,
                 const TrainerOptions& options, Compute& compute, Communicator* communicator)
    : model_(model),
      dataset_(dataset),
      options_(options),
      compute_(compute),
      communicator_(communicator != nullptr && communicator->size() > 1 ? communicator : nullptr),
      plan_{.examples = dataset.size(),
            .batch_size = options.examples_of_update(ranks_of(communicator)),
            .seed = options.seed,
            .whole_multiple_of =
                options.drop_last ? options.micro_batch_size * ranks_of(communicator) : 1,
            .order = options.order},
      total_steps_(total_steps_of(options, plan_)),
      schedule_{.peak = options.learning_rate,
                .warmup_steps = warmup_steps_of(options, total_steps_),
                .total_steps = total_steps_,
                .shape = options.schedule} {
  check_schedule(schedule_);
  constexpr std::int64_t kArrays = 4;
  memory_ = {
      .parameters = kArrays * model_.table.floats() * static_cast<std::int64_t>(sizeof(float)) +
                    static_cast<std::int64_t>(model_.bf16_weights.size_bytes()),
      .activations = plan_training_bytes(model_, largest_batch(), compute_),
      .dataset = bytes_of(dataset_),
      .communication =
          communicator_ == nullptr ? 0 : GradientReducer::planned_bytes(options.reducer)};
}

std::vector<std::uint32_t> Trainer::own_part(std::span<const std::uint32_t> examples) const {
  if (communicator_ == nullptr) return {examples.begin(), examples.end()};
  return shard_of(examples, dataset_, communicator_->rank(), communicator_->size());
}

std::int64_t Trainer::micro_batch_of(std::size_t examples) const {
  if (communicator_ == nullptr && options_.global_batch_size == 0) return options_.micro_batch_size;
  const auto count = static_cast<std::int64_t>(examples);
  const std::int64_t parts = options_.gradient_accumulation_steps;
  return std::max<std::int64_t>(1, (count + parts - 1) / parts);
}

// No micro-batch has more: as many sequences as one may have, the longest there are. By the
// longest-first rule a rank has at most its even share of the tokens and one sequence more.
BatchExtent Trainer::largest_conceivable_batch() const {
  const std::int64_t ranks = ranks_of(communicator_);
  const std::int64_t share = (plan_.batch_size + ranks - 1) / ranks;
  const std::int64_t sequences =
      ranks == 1 ? micro_batch_of(static_cast<std::size_t>(plan_.batch_size)) : share;
  std::vector<std::uint32_t> order(static_cast<std::size_t>(dataset_.size()));
  std::iota(order.begin(), order.end(), 0U);
  const auto count = std::min<std::int64_t>(sequences, dataset_.size());
  std::ranges::nth_element(order, order.begin() + count - 1, std::greater(),
                           [&](std::uint32_t example) { return dataset_.length(example); });
  BatchExtent largest =
      extent_of(dataset_, std::span(order).first(static_cast<std::size_t>(count)));
  if (ranks > 1) {
    largest.tokens += largest.longest;
    largest.sequences = std::max(plan_.batch_size, largest.sequences + 1);
  }
  return largest;
}

// Of all micro-batches of the run, where those aren't too many to be looked at.
BatchExtent Trainer::largest_batch() const {
  constexpr std::int64_t kMostExamples = 4'000'000;
  if (total_steps_ > kMostExamples / plan_.batch_size) return largest_conceivable_batch();
  BatchExtent largest;
  for (std::int64_t step = 0; step < total_steps_; ++step) {
    const std::vector<std::uint32_t> mine = own_part(plan_.examples_of_step(step));
    for_micro_batches(mine, micro_batch_of(mine.size()),
                      [&](std::span<const std::uint32_t> examples, bool) {
                        largest = largest.grow(extent_of(dataset_, examples));
                      });
  }
  return largest;
}

void Trainer::allocate() {
  arena_ = std::make_unique<Arena>(memory_.activations);
  const std::int64_t floats = model_.table.floats();
  constexpr std::int64_t kAlignmentSlack = 3 * 64;
  state_ = std::make_unique<Arena>(3 * floats * static_cast<std::int64_t>(sizeof(float)) +
                                   kAlignmentSlack);
  for (std::span<float>* const array : {&gradients_, &moment1_, &moment2_}) {
    *array = state_->vector<float>(floats);
    set_to_zero(*array, compute_.pool());
  }
  if (communicator_ == nullptr) return;
  reducer_ = std::make_unique<GradientReducer>(*communicator_, compute_.kernels(), model_.table,
                                               gradients_, options_.reducer);
}

CheckpointArrays Trainer::arrays() const {
  return {.weights = model_.weights, .moment1 = moment1_, .moment2 = moment2_};
}

double Trainer::epoch_after(std::int64_t step) const {
  return static_cast<double>(step + 1) / static_cast<double>(plan_.steps_per_epoch());
}

double Trainer::accumulate_gradients(std::int64_t step, std::span<const std::uint32_t> mine,
                                     double divisor, StepTimes& times, PhaseClock* clock) {
  Stopwatch stopwatch;
  double loss = 0;
  if (mine.empty()) set_to_zero(gradients_, compute_.pool());
  std::size_t done = 0;
  for_micro_batches(
      mine, micro_batch_of(mine.size()), [&](std::span<const std::uint32_t> part, bool accumulate) {
        const PackedBatch batch = pack(dataset_, part);
        const TrainingBatch work{.batch = batch,
                                 .dropout = {.enabled = true,
                                             .seed = options_.seed,
                                             .step = static_cast<std::uint32_t>(step)},
                                 .divisor = divisor,
                                 .accumulate = accumulate,
                                 .cross_entropy = {.class_weights = options_.class_weights,
                                                   .label_smoothing = options_.label_smoothing},
                                 .clock = clock,
                                 .unwanted = interrupted};
        done += part.size();
        const bool last = done == mine.size();
        times.input += stopwatch.lap();
        loss += forward_and_backward(model_, work, Gradients{gradients_}, compute_, *arena_,
                                     [&](std::int64_t floats) {
                                       if (reducer_ && last) reducer_->ready(floats);
                                     });
        times.compute += stopwatch.lap();
      });
  return loss;
}

std::optional<double> Trainer::gradients_unless_unwanted(std::int64_t step,
                                                         std::span<const std::uint32_t> mine,
                                                         double divisor, StepTimes& times,
                                                         PhaseClock* clock) {
  try {
    return accumulate_gradients(step, mine, divisor, times, clock);
  } catch (const StepAbandoned&) {
    // The other ranks wait for this one's gradients; what they get is never used.
    if (reducer_) reducer_->ready(static_cast<std::int64_t>(gradients_.size()));
    return std::nullopt;
  }
}

StepResult Trainer::run_step(std::int64_t step, PhaseClock* clock) {
  TANDEM_CHECK(arena_ != nullptr, "allocate() comes before run_step()");
  StepTimes times;
  const double cpu_before = process_cpu_seconds();
  Stopwatch whole, stopwatch;
  const std::vector<std::uint32_t> examples = plan_.examples_of_step(step);
  const std::vector<std::uint32_t> mine = own_part(examples);
  if (reducer_) reducer_->begin(token_ids_of(dataset_, mine));
  times.input = stopwatch.lap();
  const double divisor = loss_divisor(model_.problem, dataset_, examples, options_.class_weights);
  const std::optional<double> own_loss =
      gradients_unless_unwanted(step, mine, divisor, times, clock);
  StepReport report{
      .loss = own_loss.value_or(0), .interrupted = interrupted(), .abandoned = !own_loss};
  stopwatch.lap();
  times.until_ready = since_together_.lap();
  if (reducer_) {
    if (clock != nullptr) clock->enter(Phase::kCommunication, Pass::kUpdate);
    const ReducerStatistics communication = reducer_->finish();
    report = combine(*communicator_, report);
    since_together_.lap();
    times.exposed = stopwatch.lap();
    times.communication_cpu = communication.cpu_seconds;
    times.bytes_sent = static_cast<double>(communication.bytes_sent);
  }
  if (report.abandoned) return {.interrupted = true, .abandoned = true};
  const double loss = report.loss;
  const auto bytes = static_cast<double>(gradients_.size_bytes());
  if (clock != nullptr) clock->enter(Phase::kClipping, Pass::kUpdate, bytes);
  const double norm = gradient_norm(gradients_, compute_.kernels(), compute_.pool());
  if (!std::isfinite(loss) || !std::isfinite(norm)) {
    throw WallError(
        "step {}: loss {} and gradient norm {}: not finite; no model was written; batch: {}; a "
        "smaller --learning-rate or --warmup-ratio 0.1 usually helps",
        step + 1, without_sign_of_nan(loss), without_sign_of_nan(norm), rows_of(examples));
  }
  const double rate = schedule_.at(step);
  constexpr double kArraysReadAndWritten = 7;
  const auto bf16_bytes = static_cast<double>(model_.bf16_weights.size_bytes());
  if (clock != nullptr) {
    clock->enter(Phase::kAdamW, Pass::kUpdate, kArraysReadAndWritten * bytes + bf16_bytes);
  }
  adamw_update(model_.table, {model_.weights, gradients_, moment1_, moment2_, model_.bf16_weights},
               options_.adamw,
               {.update = step + 1,
                .learning_rate = rate,
                .gradient_scale = clip_scale(norm, options_.max_grad_norm)},
               compute_.kernels(), compute_.pool());
  if (clock != nullptr) clock->leave();
  times.optimizer = stopwatch.lap();
  times.whole = whole.lap();
  times.cpu = process_cpu_seconds() - cpu_before;
  return {.loss = loss,
          .gradient_norm = norm,
          .learning_rate = rate,
          .tokens = extent_of(dataset_, examples).tokens,
          .examples = static_cast<std::int64_t>(examples.size()),
          .interrupted = report.interrupted,
          .times = times};
}

void Trainer::check_weights() const {
  if (std::ranges::all_of(model_.weights, [](float weight) { return std::isfinite(weight); })) {
    return;
  }
  throw WallError(
      "the last update made weights that are not finite; no model was written; a smaller "
      "--learning-rate usually helps");
}

std::string Trainer::rows_of(std::span<const std::uint32_t> examples) const {
  constexpr std::size_t kShown = 64;
  std::set<std::int64_t> lines;
  for (const std::uint32_t example : examples.first(std::min(kShown, examples.size()))) {
    lines.insert(dataset_.lines[example]);
  }
  return fmt::format("{} lines {}{}", dataset_.source, fmt::join(lines, ", "),
                     examples.size() > kShown ? " and more" : "");
}

}  // namespace tandem
