#pragma once
// How fast this machine multiplies matrices of the shapes that a training step has, of fp32 or
// bf16.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "nn/compute.h"
#include "nn/precision.h"
#include "tensor/arena.h"

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
  std::int64_t tokens, sequences;                 // T, B
  std::int64_t width, intermediate_size, layers;  // C, F, L
};

// All products of the encoder in one training step: L - 1 whole layers, and the last one, of which
// only keys and values are for all tokens and the rest is for each sequence's first.
std::vector<GemmShape> encoder_shapes(const EncoderExtent& extent);

// A linear map's product y [rows, out] of x [rows, in], and those of its input's and its weight's
// gradient.
std::vector<GemmShape> linear_map_shapes(const std::string& name, std::int64_t out, std::int64_t in,
                                         std::int64_t rows);

// Rows that are timed where any number would do: four whole tiles, as fast as any.
inline constexpr std::int64_t kRowsToTime = 864;

struct GemmRate {
  GemmShape shape;
  // Of one product, the median of several runs: as Gemm multiplies, and by oneDNN with one slice of
  // the result for each thread (infinite where oneDNN wasn't asked, or doesn't multiply this type
  // in hardware).
  double our_seconds, onednn_seconds;
  double attainable_seconds() const { return std::min(our_seconds, onednn_seconds); }
};

// Times each shape alone, as Gemm multiplies operands of type T and by oneDNN in the largest
// slices. The faster is what the machine can attain.
template <class T>
class GemmBenchmark {
 public:
  GemmBenchmark(std::vector<GemmShape> shapes, Compute&);
  ~GemmBenchmark();
  GemmBenchmark(const GemmBenchmark&) = delete;
  GemmBenchmark& operator=(const GemmBenchmark&) = delete;

  // Each shape once by both, or by Gemm alone. Called several times, between what it is compared
  // with.
  void run_once();
  void run_ours_once();
  std::vector<GemmRate> rates() const;

 private:
  struct Timed {
    GemmShape shape;
    std::vector<double> ours, onednn;  // seconds of each run
  };
  template <class C>
  void time_product(Timed& timed, bool and_onednn);
  template <class C>
  void time_onednn(const Product<T, C>& product, Timed& timed);
  void run(bool and_onednn);

  std::vector<Timed> timed_;
  std::unique_ptr<Arena> arena_;
  std::unique_ptr<OneDnnBf16> bf16_;  // null where bf16 isn't multiplied in hardware
  Compute& compute_;
};

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

// Over all products of the shapes together, FLOPs by seconds: the attainable rate, and Gemm's.
double attainable_rate(const std::vector<GemmRate>& rates);
double our_rate(const std::vector<GemmRate>& rates);

}  // namespace tandem
