#include "train/step_benchmark.h"

#include <algorithm>
#include <chrono>

#include "base/interrupt.h"
#include "base/philox.h"
#include "base/progress.h"
#include "nn/gemm_benchmark.h"

namespace tandem {
namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
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

double encoder_flops(const BertConfig& config, std::int64_t tokens) {
  double layer = 0;
  for (const GemmShape& shape :
       encoder_layer_shapes(tokens, config.hidden_size, config.intermediate_size)) {
    layer += shape.flops();
  }
  return layer * static_cast<double>(config.num_hidden_layers);
}

StepBenchmark measure_steps(const ClassifierModel& model, const BertConfig& config,
                            const TokenDataset& dataset, std::int64_t batch_size,
                            std::int64_t steps, Compute& compute) {
  TrainerOptions options;
  options.micro_batch_size = batch_size;
  options.max_steps = steps;
  options.drop_last = true;  // every step has as many samples
  options.order = SampleOrder::kSequential;
  Trainer trainer(model, dataset, options, compute);
  trainer.allocate();
  StepBenchmark result;
  std::vector<double> rates;
  double tokens = 0;
  Progress progress("training steps", steps);
  for (std::int64_t step = 0; step < steps; ++step) {
    throw_if_interrupted("measuring");
    const auto start = std::chrono::steady_clock::now();
    const StepResult update = trainer.run_step(step);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    progress.update(step + 1);
    if (step == 0) continue;
    result.seconds.push_back(elapsed.count());
    rates.push_back(encoder_flops(config, update.tokens) / elapsed.count());
    tokens += static_cast<double>(update.tokens);
  }
  progress.clear();
  result.median_seconds = median(result.seconds);
  result.samples_per_second = static_cast<double>(batch_size) / result.median_seconds;
  result.step_flops_per_second = median(rates);
  const auto mean_tokens = static_cast<std::int64_t>(tokens / static_cast<double>(steps - 1));
  constexpr int kRepeats = 5;
  result.gemm_flops_per_second = combined_rate(
      measure_gemm(encoder_layer_shapes(mean_tokens, config.hidden_size, config.intermediate_size),
                   compute, kRepeats));
  return result;
}

}  // namespace tandem
