#pragma once
// How fast this machine multiplies matrices of the shapes that a training step has.

#include <cstdint>
#include <string>
#include <vector>

#include "nn/compute.h"

namespace tandem {

// One product of an encoder layer, forward or backward: c[rows, cols] += over `inner`.
struct GemmShape {
  std::string name;  // "qkv", "d qkv", "d qkv weight", ...
  std::int64_t rows, cols, inner;
  Transpose a_transpose, b_transpose;
  double flops() const {
    return 2.0 * static_cast<double>(rows) * static_cast<double>(cols) * static_cast<double>(inner);
  }
};

// The twelve products of one encoder layer in one training step with `tokens` tokens: T, C and F
// as the model has them.
std::vector<GemmShape> encoder_layer_shapes(std::int64_t tokens, std::int64_t width,
                                            std::int64_t intermediate_size);

struct GemmRate {
  GemmShape shape;
  double seconds;  // median of several runs, of the faster of two ways to divide it
  double flops_per_second() const { return shape.flops() / seconds; }
};

// Each shape alone, `repeats` times: divided into the tiles of training, and into one slice a
// thread. The faster is what the machine can attain.
std::vector<GemmRate> measure_gemm(const std::vector<GemmShape>& shapes, Compute&, int repeats);

// The rate over all shapes together: FLOPs by seconds.
double combined_rate(const std::vector<GemmRate>& rates);

}  // namespace tandem
