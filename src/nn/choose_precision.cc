#include "nn/choose_precision.h"

#include "base/interrupt.h"
#include "nn/gemm_benchmark.h"

namespace tandem {
namespace {

// A few runs of each in turn: the machine's speed changes, their ratio hardly does.
double measure_bf16_speed(std::int64_t width, std::int64_t intermediate_size, Compute& compute) {
  constexpr int kRuns = 3;
  const std::vector<GemmShape> shapes =
      linear_map_shapes("intermediate", intermediate_size, width, kRowsToTime);
  GemmBenchmark<float> fp32(shapes, compute);
  GemmBenchmark<BFloat16> bf16(shapes, compute);
  for (int run = 0; run < kRuns; ++run) {
    throw_if_interrupted("measuring products");
    fp32.run_ours_once();
    bf16.run_ours_once();
  }
  return our_rate(bf16.rates()) / our_rate(fp32.rates());
}

}  // namespace

PrecisionChoice choose_precision(PrecisionRequest request, std::int64_t width,
                                 std::int64_t intermediate_size, Compute& compute) {
  constexpr double kClearlySlower = 0.8;
  const bool futile = request == PrecisionRequest::kAuto && !compute.multiplies_bf16();
  if (request == PrecisionRequest::kFp32 || futile) return {Precision::kFp32, std::nullopt};
  if (&compute.kernels() == &kernels::reference_table()) return {Precision::kBf16, std::nullopt};
  const double speed = measure_bf16_speed(width, intermediate_size, compute);
  const bool refused = request == PrecisionRequest::kAuto && speed < kClearlySlower;
  return {refused ? Precision::kFp32 : Precision::kBf16, speed};
}

}  // namespace tandem
