#include "train/slow_training.h"

#include <fmt/format.h>

#include "nn/gemm_benchmark.h"

namespace tandem {
namespace {

constexpr double kShortestStep = 0.05;  // seconds

double products_alone(const BertConfig& config, Precision precision, Compute& compute) {
  constexpr int kRuns = 3;
  AnyGemmBenchmark gemm(
      linear_map_shapes("intermediate", config.intermediate_size, config.hidden_size, kRowsToTime),
      precision, compute);
  for (int run = 0; run < kRuns; ++run) gemm.run_once();
  return attainable_rate(gemm.rates());
}

}  // namespace

std::vector<std::string> pace_warnings(const TrainingPace& pace) {
  constexpr double kLeastCpuShare = 0.7;
  constexpr double kLeastGemmShare = 0.4;
  std::vector<std::string> warnings;
  if (pace.seconds_per_step < kShortestStep) return warnings;
  if (pace.cpu_share < kLeastCpuShare) {
    warnings.push_back(fmt::format(
        "the {} threads of this process ran {:.0f}% of the time: other programs take the cores, or "
        "a limit holds them back; `tandem doctor` shows both, --threads sets fewer",
        pace.threads, 100 * pace.cpu_share));
  }
  const double share = pace.flops_per_second / pace.gemm_flops_per_second;
  if (share < kLeastGemmShare) {
    warnings.push_back(fmt::format(
        "forward and backward do {:.0f} GFLOP/s, {:.0f}% of what matrix products alone reach here "
        "({:.0f}); a larger --per-device-train-batch-size usually helps, and `tandem bench step` "
        "shows where the time goes",
        pace.flops_per_second / 1e9, 100 * share, pace.gemm_flops_per_second / 1e9));
  }
  return warnings;
}

std::vector<std::string> pace_warnings(const SpeedRecord& speed, double flops,
                                       const BertConfig& config, Precision precision,
                                       Compute& compute) {
  double whole = 0;  // without the wait for others
  double forward_and_backward = 0;
  double cpu = 0;
  for (const StepTimes& step : speed.steps()) {
    whole += step.whole - step.exposed;
    forward_and_backward += step.compute;
    cpu += step.cpu - step.communication_cpu;
  }
  const int threads = compute.pool().size();
  TrainingPace pace{
      .seconds_per_step = forward_and_backward / static_cast<double>(speed.steps().size()),
      .flops_per_second = flops / forward_and_backward,
      .cpu_share = cpu / (threads * whole),
      .threads = threads};
  if (pace.seconds_per_step < kShortestStep || &compute.kernels() == &kernels::reference_table()) {
    return {};
  }
  pace.gemm_flops_per_second = products_alone(config, precision, compute);
  return pace_warnings(pace);
}

}  // namespace tandem
