#include "nn/precision.h"

#include <utility>

namespace tandem {
namespace {

// A few runs of each in turn: the machine's speed changes, their ratio hardly does.
double measure_bf16_speed(const EncoderExtent& extent, Compute& compute) {
  constexpr int kRuns = 3;
  GemmBenchmark<float> fp32(encoder_shapes(extent), compute);
  GemmBenchmark<BFloat16> bf16(encoder_shapes(extent), compute);
  for (int run = 0; run < kRuns; ++run) {
    fp32.run_once();
    bf16.run_once();
  }
  return our_rate(bf16.rates()) / our_rate(fp32.rates());
}

}  // namespace

std::string_view name_of(Precision precision) {
  return precision == Precision::kFp32 ? "fp32" : "bf16";
}

AnyGemmBenchmark::AnyGemmBenchmark(std::vector<GemmShape> shapes, Precision precision,
                                   Compute& compute) {
  if (precision == Precision::kFp32) {
    benchmark_ = std::make_unique<GemmBenchmark<float>>(std::move(shapes), compute);
  } else {
    benchmark_ = std::make_unique<GemmBenchmark<BFloat16>>(std::move(shapes), compute);
  }
}

void AnyGemmBenchmark::run_once() {
  std::visit([](auto& benchmark) { benchmark->run_once(); }, benchmark_);
}

std::vector<GemmRate> AnyGemmBenchmark::rates() const {
  return std::visit([](const auto& benchmark) { return benchmark->rates(); }, benchmark_);
}

PrecisionChoice choose_precision(PrecisionRequest request, const EncoderExtent& extent,
                                 Compute& compute) {
  const bool futile = request == PrecisionRequest::kAuto && !compute.multiplies_bf16();
  if (request == PrecisionRequest::kFp32 || futile) return {Precision::kFp32, 0};
  const double speed = measure_bf16_speed(extent, compute);
  const bool chosen = request == PrecisionRequest::kBf16 || speed > 1;
  return {chosen ? Precision::kBf16 : Precision::kFp32, speed};
}

}  // namespace tandem
