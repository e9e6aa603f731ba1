#pragma once
// One table of all parameters. Weights, gradients and the optimiser's moments are flat arrays of
// floats in its order.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tensor/matrix.h"

namespace tandem {

// Where a parameter lies in the flat arrays: [rows, cols], contiguous. A vector has one row.
struct ParamSlice {
  std::int64_t offset = 0;  // in floats, a multiple of 16 (64 bytes)
  std::int64_t rows = 0, cols = 0;
  std::int64_t size() const { return rows * cols; }
};

enum class WeightDecay { kYes, kNo };

struct ParamInfo {
  std::string name;  // the model's own name for it, e.g. "layer.3.qkv.weight"
  ParamSlice slice;
  WeightDecay decay;
};

// Drives load, save, initialisation, AdamW, gradient buckets and tests. The order of the calls is
// the order in which backward completes the gradients: everything below a parameter's end is ready
// when its gradient is. Gaps between parameters (alignment) are zero and stay zero.
class ParamTable {
 public:
  ParamSlice add(std::string name, std::int64_t rows, std::int64_t cols, WeightDecay decay);
  std::span<const ParamInfo> all() const { return params_; }
  std::int64_t floats() const { return floats_; }

 private:
  std::vector<ParamInfo> params_;
  std::int64_t floats_ = 0;
};

// A flat array seen through the table.
template <class T>
struct FlatParams {
  std::span<T> flat;
  Matrix<T> matrix(const ParamSlice& slice) const {
    return {flat.data() + slice.offset, slice.rows, slice.cols, slice.cols};
  }
  std::span<T> vector(const ParamSlice& slice) const {
    return flat.subspan(static_cast<std::size_t>(slice.offset),
                        static_cast<std::size_t>(slice.size()));
  }
};
using Weights = FlatParams<const float>;
using Gradients = FlatParams<float>;

// Weights as layers with activations of type T read them: products take them as T, everything else
// as floats.
template <class T>
struct LayerWeights : Weights {
  // The flat array as T; with fp32 the array itself, otherwise as far as products read it.
  std::span<const T> operands;

  Matrix<const T> operand(const ParamSlice& slice) const {
    return FlatParams<const T>{operands}.matrix(slice);
  }
};

inline LayerWeights<float> fp32_weights(std::span<const float> flat) { return {{flat}, flat}; }

}  // namespace tandem
