#include "nn/gemm_benchmark.h"

#include <algorithm>
#include <chrono>

#include "base/median.h"
#include "nn/onednn.h"

namespace tandem {
namespace {

template <class Work>
double seconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// One slice of c's rows for each thread, by oneDNN.
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
    multiply_with_onednn(part);
  });
}

// Activations as the arena lays them out; a weight and its gradient as the flat arrays do, without
// gaps between rows.
Product operands_of(const GemmShape& shape, Arena& arena) {
  const auto parameter = [&](std::int64_t rows, std::int64_t cols) {
    return Matrix<float>{arena.vector<float>(rows * cols).data(), rows, cols, cols};
  };
  Product product;
  product.a_transpose = shape.a_transpose;
  product.b_transpose = shape.b_transpose;
  if (shape.a_transpose == Transpose::kYes) {
    product.a = arena.matrix<float>(shape.inner, shape.rows);
    product.b = arena.matrix<float>(shape.inner, shape.cols);
    product.c = parameter(shape.rows, shape.cols);
    return product;
  }
  product.a = arena.matrix<float>(shape.rows, shape.inner);
  product.b = shape.b_transpose == Transpose::kYes ? parameter(shape.cols, shape.inner)
                                                   : parameter(shape.inner, shape.cols);
  product.c = arena.matrix<float>(shape.rows, shape.cols);
  return product;
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
  shapes.push_back(
      {"d " + name + " weight", map.out, map.in, map.rows, Transpose::kYes, Transpose::kNo, count});
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
  Arena counting{Arena::Counting()};
  for (GemmShape& shape : shapes) {
    const ArenaScope scope(counting);
    const Product product = operands_of(shape, counting);
    counting.vector<float>(compute.gemm().workspace_floats(product));
    timed_.push_back({.shape = std::move(shape), .ours = {}, .onednn = {}});
  }
  arena_ = std::make_unique<Arena>(counting.peak_bytes());
  const ArenaScope scope(*arena_);
  const auto floats = counting.peak_bytes() / static_cast<std::int64_t>(sizeof(float));
  std::ranges::fill(arena_->vector<float>(floats), 0.5F);
}

void GemmBenchmark::run_once() {
  for (Timed& timed : timed_) {
    const ArenaScope scope(*arena_);
    const Product product = operands_of(timed.shape, *arena_);
    const std::span<float> workspace =
        arena_->vector<float>(compute_.gemm().workspace_floats(product));
    timed.ours.push_back(seconds_of([&] { compute_.gemm().multiply(product, workspace); }));
    timed.onednn.push_back(seconds_of([&] { multiply_in_slices(product, compute_.pool()); }));
  }
}

std::vector<GemmRate> GemmBenchmark::rates() const {
  std::vector<GemmRate> rates;
  for (const Timed& timed : timed_) {
    rates.push_back({timed.shape, median(timed.ours), median(timed.onednn)});
  }
  return rates;
}

double combined_rate(const std::vector<GemmRate>& rates) {
  double flops = 0;
  double seconds = 0;
  for (const GemmRate& rate : rates) {
    flops += rate.shape.flops() * static_cast<double>(rate.shape.count);
    seconds += rate.attainable_seconds() * static_cast<double>(rate.shape.count);
  }
  return flops / seconds;
}

}  // namespace tandem
