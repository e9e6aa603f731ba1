#pragma once
// How fast this machine multiplies matrices of the shapes that a training step has.

#include <cstdint>
#include <string>
#include <vector>

#include "nn/compute.h"

namespace tandem {

// One product of an encoder layer, forward or backward: c[rows, cols] over `inner`.
struct GemmShape {
  std::string name;  // "qkv", "d qkv", "d qkv weight", ...
  std::int64_t rows, cols, inner;
  Transpose a_transpose, b_transpose;
  std::int64_t count = 1;  // how many of it a step has
  double flops() const {
    return 2.0 * static_cast<double>(rows) * static_cast<double>(cols) * static_cast<double>(inner);
  }
};

// What the products' shapes follow from.
struct EncoderExtent {
  std::int64_t tokens, sequences;                  // T, B
  std::int64_t width, intermediate_size, layers;  // C, F, L
};

// All products of the encoder in one training step: L - 1 whole layers, and the last one, of which
// only keys and values are for all tokens and the rest is for each sequence's first.
std::vector<GemmShape> encoder_shapes(const EncoderExtent& extent);

struct GemmRate {
  GemmShape shape;
  double seconds;  // of one; median of several runs, of the faster of two ways to divide it
  double flops_per_second() const { return shape.flops() / seconds; }
};

// Times each shape alone: divided into the tiles of training, and into one slice a thread. The
// faster is what the machine can attain.
class GemmBenchmark {
 public:
  GemmBenchmark(std::vector<GemmShape> shapes, Compute&);

  // Each shape once, in both ways. Called several times, between what it is compared with.
  void run_once();
  std::vector<GemmRate> rates() const;

 private:
  struct Timed {
    GemmShape shape;
    std::vector<double> tiled, sliced;  // seconds of each run
  };
  std::vector<Timed> timed_;
  std::vector<float> a_, b_, c_;
  Compute& compute_;
};

// The rate over all products of the shapes together: FLOPs by seconds.
double combined_rate(const std::vector<GemmRate>& rates);

}  // namespace tandem
