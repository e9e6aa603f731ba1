#include "nn/gemm_benchmark.h"

#include <algorithm>
#include <chrono>
#include <functional>

namespace tandem {
namespace {

double median_seconds(int repeats, const std::function<void()>& work) {
  std::vector<double> seconds;
  work();  // warms up
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    seconds.push_back(elapsed.count());
  }
  std::ranges::nth_element(seconds, seconds.begin() + repeats / 2);
  return seconds[static_cast<std::size_t>(repeats / 2)];
}

// One slice of c's rows for each thread.
void multiply_in_slices(const Product& product, ThreadPool& pool) {
  const std::int64_t slice = (product.c.rows + pool.size() - 1) / pool.size();
  pool.run(pool.size(), [&](std::int64_t task, int) {
    const std::int64_t begin = task * slice;
    const std::int64_t end = std::min(begin + slice, product.c.rows);
    if (begin >= end) return;
    Product part = product;
    part.a = product.a_transpose == Transpose::kNo ? product.a.row_range(begin, end)
                                                   : product.a.col_range(begin, end);
    part.c = product.c.row_range(begin, end);
    multiply_on_this_thread(part);
  });
}

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
  return std::min(median_seconds(repeats, [&] { compute.gemm().multiply(product); }),
                  median_seconds(repeats, [&] { multiply_in_slices(product, compute.pool()); }));
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
