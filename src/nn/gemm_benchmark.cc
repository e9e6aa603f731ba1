#include "nn/gemm_benchmark.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <type_traits>
#include <utility>

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

void add_map(const Map& map, std::int64_t count, std::vector<GemmShape>& shapes) {
  if (count == 0) return;
  for (GemmShape& shape : linear_map_shapes(map.name, map.out, map.in, map.rows)) {
    shape.count = count;
    shapes.push_back(std::move(shape));
  }
}

// One that was never measured takes forever.
double median_or_infinity(const std::vector<double>& seconds) {
  return seconds.empty() ? std::numeric_limits<double>::infinity() : median(seconds);
}

template <class T>
void fill(std::span<T> elements, T value, ThreadPool& pool) {
  constexpr std::size_t kPart = 1 << 20;
  const std::size_t parts = (elements.size() + kPart - 1) / kPart;
  pool.run(static_cast<std::int64_t>(parts), [&](std::int64_t part, int) {
    const std::size_t begin = static_cast<std::size_t>(part) * kPart;
    std::ranges::fill(elements.subspan(begin, std::min(kPart, elements.size() - begin)), value);
  });
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

std::vector<GemmShape> linear_map_shapes(const std::string& name, std::int64_t out, std::int64_t in,
                                         std::int64_t rows) {
  return {{name, rows, out, in, Transpose::kNo, Transpose::kYes},
          {"d " + name, rows, in, out, Transpose::kNo, Transpose::kNo},
          {"d " + name + " weight", out, in, rows, Transpose::kYes, Transpose::kNo}};
}

template <class T>
GemmBenchmark<T>::GemmBenchmark(std::vector<GemmShape> shapes, Compute& compute)
    : bf16_(!std::is_same_v<T, float> && compute.multiplies_bf16()
                ? std::make_unique<OneDnnBf16>(compute.pool().size())
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
    if (bf16_ != nullptr) counting.matrix<float>(shape.rows, shape.cols);
    timed_.push_back({.shape = std::move(shape), .ours = {}, .onednn = {}});
  }
  arena_ = std::make_unique<Arena>(counting.peak_bytes());
  const ArenaScope scope(*arena_);
  const auto elements = counting.peak_bytes() / static_cast<std::int64_t>(sizeof(T));
  fill(arena_->vector<T>(elements), round_to<T>(0.5F), compute.pool());
}

template <class T>
GemmBenchmark<T>::~GemmBenchmark() = default;

template <class T>
template <class C>
void GemmBenchmark<T>::time_product(Timed& timed, bool and_onednn) {
  const ArenaScope scope(*arena_);
  const Product<T, C> product = operands_of<T, C>(timed.shape, *arena_);
  {
    const ArenaScope workspace_scope(*arena_);
    const std::span<float> workspace =
        arena_->vector<float>(compute_.gemm().workspace_floats(product));
    timed.ours.push_back(seconds_of([&] { compute_.gemm().multiply(product, workspace); }));
  }
  if (and_onednn) time_onednn(product, timed);
}

template <class T>
template <class C>
void GemmBenchmark<T>::time_onednn(const Product<T, C>& product, Timed& timed) {
  if constexpr (std::is_same_v<T, float>) {
    timed.onednn.push_back(seconds_of([&] { multiply_in_slices(product, compute_.pool()); }));
  } else if (bf16_ != nullptr) {
    const Product<T, float> sums = {.a = product.a,
                                    .a_transpose = product.a_transpose,
                                    .b = product.b,
                                    .b_transpose = product.b_transpose,
                                    .c = arena_->matrix<float>(product.c.rows, product.c.cols)};
    timed.onednn.push_back(seconds_of([&] { multiply_in_slices(sums, *bf16_, compute_.pool()); }));
  }
}

template <class T>
void GemmBenchmark<T>::run(bool and_onednn) {
  for (Timed& timed : timed_) {
    with_result_type<T>(timed.shape, [&]<class C>(C) { time_product<C>(timed, and_onednn); });
  }
}

template <class T>
void GemmBenchmark<T>::run_once() {
  run(true);
}

template <class T>
void GemmBenchmark<T>::run_ours_once() {
  run(false);
}

template <class T>
std::vector<GemmRate> GemmBenchmark<T>::rates() const {
  std::vector<GemmRate> rates;
  for (const Timed& timed : timed_) {
    rates.push_back({timed.shape, median(timed.ours), median_or_infinity(timed.onednn)});
  }
  return rates;
}

template class GemmBenchmark<float>;
template class GemmBenchmark<BFloat16>;

AnyGemmBenchmark::AnyGemmBenchmark(std::vector<GemmShape> shapes, Precision precision,
                                   Compute& compute) {
  if (precision == Precision::kFp32) {
    benchmark_ = std::make_unique<GemmBenchmark<float>>(std::move(shapes), compute);
  } else {
    benchmark_ = std::make_unique<GemmBenchmark<BFloat16>>(std::move(shapes), compute);
  }
}

void AnyGemmBenchmark::run_once() {
  std::visit([](auto& benchmark) { benchmark->run_once(); }, benchmark_);
}

std::vector<GemmRate> AnyGemmBenchmark::rates() const {
  return std::visit([](const auto& benchmark) { return benchmark->rates(); }, benchmark_);
}

double attainable_rate(const std::vector<GemmRate>& rates) {
  return combined_rate(rates, [](const GemmRate& rate) { return rate.attainable_seconds(); });
}

double our_rate(const std::vector<GemmRate>& rates) {
  return combined_rate(rates, [](const GemmRate& rate) { return rate.our_seconds; });
}

}  // namespace tandem
