#include "nn/gemm_benchmark.h"

#include <algorithm>
#include <chrono>
#include <limits>

namespace tandem {
namespace {

double seconds_of(const GemmShape& shape, Compute& compute, int repeats) {
  const auto size = [](std::int64_t a, std::int64_t b) { return static_cast<std::size_t>(a * b); };
  std::vector<float> a(size(shape.rows, shape.inner), 0.5F);
  std::vector<float> b(size(shape.inner, shape.cols), 0.25F);
  std::vector<float> c(size(shape.rows, shape.cols));
  const auto view = [](std::vector<float>& data, std::int64_t rows, std::int64_t cols,
                       Transpose t) {
    return t == Transpose::kNo ? Matrix<float>{data.data(), rows, cols, cols}
                               : Matrix<float>{data.data(), cols, rows, rows};
  };
  const Product product = {.a = view(a, shape.rows, shape.inner, shape.a_transpose),
                           .a_transpose = shape.a_transpose,
                           .b = view(b, shape.inner, shape.cols, shape.b_transpose),
                           .b_transpose = shape.b_transpose,
                           .c = view(c, shape.rows, shape.cols, Transpose::kNo)};
  double shortest = std::numeric_limits<double>::infinity();
  for (int repeat = 0; repeat <= repeats; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    compute.gemm().multiply(product);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    if (repeat > 0) shortest = std::min(shortest, elapsed.count());  // the first warms up
  }
  return shortest;
}

}  // namespace

std::vector<GemmShape> encoder_layer_shapes(std::int64_t tokens, std::int64_t width,
                                            std::int64_t intermediate_size) {
  struct Map {
    const char* name;
    std::int64_t out, in;
  };
  std::vector<GemmShape> shapes;
  for (const Map& map :
       {Map{"qkv", 3 * width, width}, Map{"attention output", width, width},
        Map{"intermediate", intermediate_size, width}, Map{"output", width, intermediate_size}}) {
    const std::string name = map.name;
    shapes.push_back({name, tokens, map.out, map.in, Transpose::kNo, Transpose::kYes});
    shapes.push_back({"d " + name, tokens, map.in, map.out, Transpose::kNo, Transpose::kNo});
    shapes.push_back(
        {"d " + name + " weight", map.out, map.in, tokens, Transpose::kYes, Transpose::kNo});
  }
  return shapes;
}

std::vector<GemmRate> measure_gemm(const std::vector<GemmShape>& shapes, Compute& compute,
                                   int repeats) {
  std::vector<GemmRate> rates;
  for (const GemmShape& shape : shapes) {
    rates.push_back({shape, seconds_of(shape, compute, repeats)});
  }
  return rates;
}

double combined_rate(const std::vector<GemmRate>& rates) {
  double flops = 0;
  double seconds = 0;
  for (const GemmRate& rate : rates) {
    flops += rate.shape.flops();
    seconds += rate.seconds;
  }
  return flops / seconds;
}

}  // namespace tandem
