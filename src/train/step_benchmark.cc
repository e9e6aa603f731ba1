#include "train/step_benchmark.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/median.h"
#include "base/philox.h"
#include "base/progress.h"
#include "model/encoder_extent.h"
#include "nn/gemm_benchmark.h"
#include "train/evaluator.h"

namespace tandem {
namespace {

double flops_of(std::span<const Lap> laps) {
  double flops = 0;
  for (const Lap& lap : laps) flops += lap.flops;
  return flops;
}

double measure_memory_rate(Compute& compute) {
  constexpr std::int64_t kBlock = 1 << 18, kBlocks = 256;  // 256 MiB an array
  std::vector<float> x(kBlock * kBlocks, 1.0F);
  std::vector<float> y(x.size());
  std::vector<double> rates;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    compute.pool().run(kBlocks, [&](std::int64_t block, int) {
      compute.kernels().fp32.add(x.data() + block * kBlock, kBlock, y.data() + block * kBlock);
    });
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    rates.push_back(3 * sizeof(float) * static_cast<double>(x.size()) / elapsed.count());
  }
  return median(rates);
}

}  // namespace

TokenDataset random_dataset(std::span<const std::int64_t> lengths, std::int64_t vocab_size) {
  TokenDataset dataset;
  dataset.source = "random tokens";
  dataset.starts.push_back(0);
  for (const std::int64_t length : lengths) {
    for (std::int64_t t = 0; t < length; ++t) {
      const auto token = static_cast<std::uint32_t>(dataset.ids.size());
      const auto words = philox4x32({token, 0, 0, 0}, {1, 2});
      dataset.ids.push_back(
          static_cast<std::int32_t>(words[0] % static_cast<std::uint32_t>(vocab_size)));
      dataset.segments.push_back(0);
    }
    dataset.starts.push_back(static_cast<std::int64_t>(dataset.ids.size()));
    dataset.labels.push_back(static_cast<float>(dataset.lines.size() % 2));
    dataset.lines.push_back(static_cast<std::int64_t>(dataset.lines.size()) + 1);
  }
  return dataset;
}

double StepBenchmark::share_of_attainable(const PhaseTotal& phase) const {
  return std::max(phase.flops / gemm_flops_per_second, phase.bytes / memory_bytes_per_second) /
         phase.seconds;
}

StepBenchmark measure_steps(const ClassifierModel& model, const BertConfig& config,
                            const TokenDataset& dataset, std::int64_t batch_size,
                            std::int64_t steps, Compute& compute) {
  TrainerOptions options;
  options.micro_batch_size = batch_size;
  options.max_steps = steps;
  options.drop_last = true;  // every step has as many samples
  options.order = SampleOrder::kSequential;
  auto trainer = std::make_unique<Trainer>(model, dataset, options, compute);
  trainer->allocate();
  StepBenchmark result;
  PhaseClock clock(compute.pool().size());
  std::vector<double> rates;
  std::optional<AnyGemmBenchmark> gemm;
  Progress progress("training steps", steps);
  for (std::int64_t step = 0; step < steps; ++step) {
    throw_if_interrupted("measuring");
    const std::size_t laps_before = clock.laps().size();
    const auto start = std::chrono::steady_clock::now();
    const StepResult update = trainer->run_step(step, step == 0 ? nullptr : &clock);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    progress.update(step + 1);
    if (!gemm) {
      gemm.emplace(encoder_shapes(encoder_extent(config, update.tokens, batch_size)),
                   precision_of(model.classifier), compute);
    }
    gemm->run_once();
    if (step == 0) continue;
    result.seconds.push_back(elapsed.count());
    const std::span<const Lap> laps = clock.laps().subspan(laps_before);
    rates.push_back(flops_of(laps) / elapsed.count());
    result.last_laps.assign(laps.begin(), laps.end());
  }
  progress.clear();
  result.median_seconds = median(result.seconds);
  result.samples_per_second = static_cast<double>(batch_size) / result.median_seconds;
  result.phases = clock.totals();
  for (PhaseTotal& phase : result.phases) {
    const auto counted = static_cast<double>(result.seconds.size());
    phase.seconds /= counted;
    phase.flops /= counted;
    phase.bytes /= counted;
  }
  result.step_flops_per_second = median(rates);
  result.gemm_flops_per_second = attainable_rate(gemm->rates());
  trainer.reset();  // its memory is free for the arrays of the next line
  result.memory_bytes_per_second = measure_memory_rate(compute);
  return result;
}

double measure_prediction(const ClassifierModel& model, const TokenDataset& dataset,
                          std::int64_t batch_size, Compute& compute) {
  using Clock = std::chrono::steady_clock;
  Progress progress("predicting", dataset.size());
  std::int64_t warmed_up = 0;
  std::int64_t done = 0;
  Clock::time_point start;
  Clock::time_point end;
  predict(model, dataset, batch_size, compute, [&](std::int64_t examples) {
    end = Clock::now();
    if (warmed_up == 0) {
      warmed_up = examples;
      start = end;
    }
    done = examples;
    progress.update(examples);
  });
  progress.clear();
  if (done == warmed_up) {
    throw UsageError("{} sequences make one batch, which only warms up; use more --steps", done);
  }
  return static_cast<double>(done - warmed_up) / std::chrono::duration<double>(end - start).count();
}

}  // namespace tandem
