#include "nn/gemm_benchmark.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <type_traits>

#include "base/median.h"
#include "nn/onednn.h"
#include "nn/onednn_bf16.h"

namespace tandem {
namespace {

template <class Work>
double seconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// body(first row, one past the last) of one slice of the result for each thread.
template <class Body>
void run_in_slices(std::int64_t rows, ThreadPool& pool, const Body& body) {
  const std::int64_t slice = (rows + pool.size() - 1) / pool.size();
  pool.run(pool.size(), [&](std::int64_t task, int worker) {
    const std::int64_t begin = task * slice;
    const std::int64_t end = std::min(begin + slice, rows);
    if (begin < end) body(begin, end, worker);
  });
}

template <class T>
Matrix<const T> rows_of_a(const Product<T, float>& product, std::int64_t begin, std::int64_t end) {
  return product.a_transpose == Transpose::kNo ? product.a.row_range(begin, end)
                                               : product.a.col_range(begin, end);
}

void multiply_in_slices(const Product<float>& product, ThreadPool& pool) {
  run_in_slices(product.c.rows, pool, [&](std::int64_t begin, std::int64_t end, int) {
    Product<float> part = product;
    part.a = rows_of_a(product, begin, end);
    part.c = product.c.row_range(begin, end);
    multiply_with_onednn(part);
  });
}

void multiply_in_slices(const Product<BFloat16, float>& product, const OneDnnBf16& bf16,
                        ThreadPool& pool) {
  run_in_slices(product.c.rows, pool, [&](std::int64_t begin, std::int64_t end, int worker) {
    bf16.multiply(operand(rows_of_a(product, begin, end), product.a_transpose),
                  operand(product.b, product.b_transpose), product.inner(),
                  {end - begin, product.c.cols, product.c.stride}, product.c.row(begin), false,
                  worker);
  });
}

// Activations as the arena lays them out; a weight and its gradient as the flat arrays do, without
// gaps between rows.
template <class T, class C>
Product<T, C> operands_of(const GemmShape& shape, Arena& arena) {
  const auto parameter = [&]<class P>(std::int64_t rows, std::int64_t cols, P) {
    return Matrix<P>{arena.vector<P>(rows * cols).data(), rows, cols, cols};
  };
  Product<T, C> product;
  product.a_transpose = shape.a_transpose;
  product.b_transpose = shape.b_transpose;
  if (shape.a_transpose == Transpose::kYes) {
    product.a = arena.matrix<T>(shape.inner, shape.rows);
    product.b = arena.matrix<T>(shape.inner, shape.cols);
    product.c = parameter(shape.rows, shape.cols, C{});
    return product;
  }
  product.a = arena.matrix<T>(shape.rows, shape.inner);
  product.b = shape.b_transpose == Transpose::kYes ? parameter(shape.cols, shape.inner, T{})
                                                   : parameter(shape.inner, shape.cols, T{});
  product.c = arena.matrix<C>(shape.rows, shape.cols);
  return product;
}

// Calls with a type: what a product of operands T of this shape gives. A weight's gradient is fp32.
template <class T, class Body>
void with_result_type(const GemmShape& shape, const Body& body) {
  if (shape.a_transpose == Transpose::kYes) {
    body(float{});
  } else {
    body(T{});
  }
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

template <class Seconds>
double combined_rate(const std::vector<GemmRate>& rates, const Seconds& seconds_of_one) {
  double flops = 0;
  double seconds = 0;
  for (const GemmRate& rate : rates) {
    flops += rate.shape.flops() * static_cast<double>(rate.shape.count);
    seconds += seconds_of_one(rate) * static_cast<double>(rate.shape.count);
  }
  return flops / seconds;
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

template <class T>
GemmBenchmark<T>::GemmBenchmark(std::vector<GemmShape> shapes, Compute& compute)
    : bf16_(compute.multiplies_bf16() ? std::make_unique<OneDnnBf16>(compute.pool().size())
                                      : nullptr),
      compute_(compute) {
  Arena counting{Arena::Counting()};
  for (GemmShape& shape : shapes) {
    const ArenaScope scope(counting);
    with_result_type<T>(shape, [&]<class C>(C) {
      const Product<T, C> product = operands_of<T, C>(shape, counting);
      const ArenaScope workspace_scope(counting);
      counting.vector<float>(compute.gemm().workspace_floats(product));
    });
    counting.matrix<float>(shape.rows, shape.cols);
    timed_.push_back({.shape = std::move(shape), .ours = {}, .onednn = {}});
  }
  arena_ = std::make_unique<Arena>(counting.peak_bytes());
  const ArenaScope scope(*arena_);
  const auto elements = counting.peak_bytes() / static_cast<std::int64_t>(sizeof(T));
  std::ranges::fill(arena_->vector<T>(elements), round_to<T>(0.5F));
}

template <class T>
GemmBenchmark<T>::~GemmBenchmark() = default;

template <class T>
template <class C>
void GemmBenchmark<T>::time_product(Timed& timed) {
  const ArenaScope scope(*arena_);
  const Product<T, C> product = operands_of<T, C>(timed.shape, *arena_);
  {
    const ArenaScope workspace_scope(*arena_);
    const std::span<float> workspace =
        arena_->vector<float>(compute_.gemm().workspace_floats(product));
    timed.ours.push_back(seconds_of([&] { compute_.gemm().multiply(product, workspace); }));
  }
  if constexpr (std::is_same_v<T, float>) {
    timed.onednn.push_back(seconds_of([&] { multiply_in_slices(product, compute_.pool()); }));
  } else if (bf16_ == nullptr) {
    timed.onednn.push_back(std::numeric_limits<double>::infinity());
  } else {
    const Product<T, float> sums = {.a = product.a,
                                    .a_transpose = product.a_transpose,
                                    .b = product.b,
                                    .b_transpose = product.b_transpose,
                                    .c = arena_->matrix<float>(product.c.rows, product.c.cols)};
    timed.onednn.push_back(seconds_of([&] { multiply_in_slices(sums, *bf16_, compute_.pool()); }));
  }
}

template <class T>
void GemmBenchmark<T>::run_once() {
  for (Timed& timed : timed_) {
    with_result_type<T>(timed.shape, [&]<class C>(C) { time_product<C>(timed); });
  }
}

template <class T>
std::vector<GemmRate> GemmBenchmark<T>::rates() const {
  std::vector<GemmRate> rates;
  for (const Timed& timed : timed_) {
    rates.push_back({timed.shape, median(timed.ours), median(timed.onednn)});
  }
  return rates;
}

template class GemmBenchmark<float>;
template class GemmBenchmark<BFloat16>;

double attainable_rate(const std::vector<GemmRate>& rates) {
  return combined_rate(rates, [](const GemmRate& rate) { return rate.attainable_seconds(); });
}

double our_rate(const std::vector<GemmRate>& rates) {
  return combined_rate(rates, [](const GemmRate& rate) { return rate.our_seconds; });
}

}  // namespace tandem
