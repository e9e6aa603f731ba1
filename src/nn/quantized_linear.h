#pragma once
// Linear maps by 8-bit integers, for prediction.

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "nn/onednn_int8.h"
#include "nn/params.h"
#include "nn/step.h"

namespace tandem {

// A weight as integers: weight[o, i] ≈ scale[o] * values[o, i], values in -127 ... 127. Symmetric,
// a scale for each output (as Dettmers et al. 2022, arXiv:2208.07339, section 3).
struct QuantizedWeight {
  std::int64_t rows, cols;
  std::vector<std::int8_t> values;  // [out, in]
  std::vector<float> scale;         // [out]
};
QuantizedWeight quantize_weight(Matrix<const float> weight);

// y = x Wᵀ with W quantised and each row of x quantised when it comes.
class QuantizedLinear {
 public:
  explicit QuantizedLinear(const QuantizedWeight& weight);

  // x [R, in] to y [R, out]; tile_done as Gemm::multiply calls it.
  void multiply(Matrix<const float> x, Matrix<float> y, const Step&,
                const TileDone<float>& tile_done) const;

 private:
  std::int64_t out_, in_;
  std::vector<float> scale_;          // [out]
  std::vector<std::int32_t> offset_;  // [out]: what the zero point of x adds to each sum
  OneDnnInt8Product product_;
};

// The quantised maps of a model, by the weight they stand for.
class QuantizedWeights {
 public:
  // `weights` are those of the encoder's linear maps, each as the layers use it. Maps of more
  // inputs than 32-bit sums allow are left out.
  QuantizedWeights(Weights, std::span<const ParamSlice> weights);

  // Null when that weight is not quantised.
  const QuantizedLinear* find(const ParamSlice& weight) const;

 private:
  std::unordered_map<std::int64_t, QuantizedLinear> maps_;  // by offset
};

}  // namespace tandem
