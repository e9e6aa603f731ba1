#include "nn/gemm_benchmark.h"

#include <algorithm>
#include <chrono>

namespace tandem {
namespace {

template <class Work>
double seconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
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

// op(matrix) is [rows, cols].
Matrix<float> operand(std::vector<float>& data, std::int64_t rows, std::int64_t cols, Transpose t) {
  return t == Transpose::kNo ? Matrix<float>{data.data(), rows, cols, cols}
                             : Matrix<float>{data.data(), cols, rows, rows};
}

struct Map {
  const char* name;
  std::int64_t out, in, rows;
};

// A linear map's product and those of its two gradients.
void add_map(const Map& map, std::int64_t count, std::vector<GemmShape>& shapes) {
  if (count == 0) return;
  const std::string name = map.name;
  shapes.push_back({name, map.rows, map.out, map.in, Transpose::kNo, Transpose::kYes, count});
  shapes.push_back({"d " + name, map.rows, map.in, map.out, Transpose::kNo, Transpose::kNo, count});
  shapes.push_back({"d " + name + " weight", map.out, map.in, map.rows, Transpose::kYes,
                    Transpose::kNo, count});
}

}  // namespace

std::vector<GemmShape> encoder_shapes(const EncoderExtent& extent) {
  const std::int64_t width = extent.width;
  const std::int64_t tokens = extent.tokens;
  const std::int64_t first = extent.sequences;
  std::vector<GemmShape> shapes;
  add_map({"qkv", 3 * width, width, tokens}, extent.layers - 1, shapes);
  add_map({"attention output", width, width, tokens}, extent.layers - 1, shapes);
  add_map({"intermediate", extent.intermediate_size, width, tokens}, extent.layers - 1, shapes);
  add_map({"output", width, extent.intermediate_size, tokens}, extent.layers - 1, shapes);
  add_map({"last key, value", 2 * width, width, tokens}, 1, shapes);
  add_map({"last query", width, width, first}, 1, shapes);
  add_map({"last attention output", width, width, first}, 1, shapes);
  add_map({"last intermediate", extent.intermediate_size, width, first}, 1, shapes);
  add_map({"last output", width, extent.intermediate_size, first}, 1, shapes);
  return shapes;
}

GemmBenchmark::GemmBenchmark(std::vector<GemmShape> shapes, Compute& compute) : compute_(compute) {
  std::int64_t a = 0;
  std::int64_t b = 0;
  std::int64_t c = 0;
  for (GemmShape& shape : shapes) {
    a = std::max(a, shape.rows * shape.inner);
    b = std::max(b, shape.inner * shape.cols);
    c = std::max(c, shape.rows * shape.cols);
    timed_.push_back({.shape = std::move(shape), .tiled = {}, .sliced = {}});
  }
  a_.resize(static_cast<std::size_t>(a), 0.5F);
  b_.resize(static_cast<std::size_t>(b), 0.25F);
  c_.resize(static_cast<std::size_t>(c));
}

void GemmBenchmark::run_once() {
  for (Timed& timed : timed_) {
    const GemmShape& shape = timed.shape;
    const Product product = {.a = operand(a_, shape.rows, shape.inner, shape.a_transpose),
                             .a_transpose = shape.a_transpose,
                             .b = operand(b_, shape.inner, shape.cols, shape.b_transpose),
                             .b_transpose = shape.b_transpose,
                             .c = operand(c_, shape.rows, shape.cols, Transpose::kNo)};
    timed.tiled.push_back(seconds_of([&] { compute_.gemm().multiply(product); }));
    timed.sliced.push_back(seconds_of([&] { multiply_in_slices(product, compute_.pool()); }));
  }
}

std::vector<GemmRate> GemmBenchmark::rates() const {
  std::vector<GemmRate> rates;
  for (const Timed& timed : timed_) {
    rates.push_back({timed.shape, std::min(median(timed.tiled), median(timed.sliced))});
  }
  return rates;
}

double combined_rate(const std::vector<GemmRate>& rates) {
  double flops = 0;
  double seconds = 0;
  for (const GemmRate& rate : rates) {
    flops += rate.shape.flops() * static_cast<double>(rate.shape.count);
    seconds += rate.seconds * static_cast<double>(rate.shape.count);
  }
  return flops / seconds;
}

}  // namespace tandem
