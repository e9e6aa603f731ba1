#pragma once
// Which type activations and the operands of products have.

#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include "nn/compute.h"
#include "nn/gemm_benchmark.h"

namespace tandem {

enum class Precision { kFp32, kBf16 };
std::string_view name_of(Precision);

// Of either type.
class AnyGemmBenchmark {
 public:
  AnyGemmBenchmark(std::vector<GemmShape> shapes, Precision, Compute&);
  void run_once();
  std::vector<GemmRate> rates() const;

 private:
  std::variant<std::unique_ptr<GemmBenchmark<float>>, std::unique_ptr<GemmBenchmark<BFloat16>>>
      benchmark_;
};

// What a user asks for.
enum class PrecisionRequest { kAuto, kFp32, kBf16 };

struct PrecisionChoice {
  Precision precision;
  double bf16_speed;  // of a step's products in bf16, as a multiple of fp32's; 0: not measured
};

// With kAuto the faster of both, on products of these shapes; bf16 isn't tried where the CPU
// lacks the instructions. Takes a moment where it measures.
PrecisionChoice choose_precision(PrecisionRequest, const EncoderExtent&, Compute&);

}  // namespace tandem
