#include "nn/onednn_bf16.h"

#include <cmath>
#include <limits>
#include <tuple>

#include <dnnl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "nn/onednn.h"
#include "support/error_message.h"
#include "support/layer_fixture.h"

namespace tandem {
namespace {

using testing::random_floats;

// Memory ends with the last element: to read or write beyond it ends the test.
template <class T>
class GuardedArray {
 public:
  explicit GuardedArray(std::int64_t size) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t bytes = static_cast<std::size_t>(size) * sizeof(T);
    const std::size_t usable = (bytes + page - 1) / page * page;
    mapped_ = usable + page;
    base_ = static_cast<std::byte*>(
        mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    TANDEM_CHECK(base_ != MAP_FAILED, "{} bytes", mapped_);
    TANDEM_CHECK(mprotect(base_ + usable, page, PROT_NONE) == 0, "{} bytes", mapped_);
    data_ = reinterpret_cast<T*>(base_ + usable - bytes);
  }
  ~GuardedArray() { munmap(base_, mapped_); }
  GuardedArray(const GuardedArray&) = delete;
  GuardedArray& operator=(const GuardedArray&) = delete;
  T* data() const { return data_; }

 private:
  std::byte* base_;
  std::size_t mapped_;
  T* data_;
};

constexpr std::int64_t kGap = 3;  // between rows, to be left as it is
constexpr float kGuard = 1e6F;

// The same matrix by rows and by columns.
class TestOperand {
 public:
  TestOperand(std::int64_t rows, std::int64_t cols, std::uint32_t seed)
      : cols_(cols),
        values_(random_floats(rows * cols, seed)),
        row_stride_(cols + kGap),
        column_stride_(rows + kGap),
        by_rows_((rows - 1) * row_stride_ + cols),
        by_columns_((cols - 1) * column_stride_ + rows) {
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < cols; ++c) {
        float& value = values_[static_cast<std::size_t>(r * cols + c)];
        const BFloat16 rounded = round_to<BFloat16>(value);
        value = to_float(rounded);
        by_rows_.data()[r * row_stride_ + c] = rounded;
        by_columns_.data()[c * column_stride_ + r] = rounded;
      }
    }
  }
  const float* row(std::int64_t r) const { return values_.data() + r * cols_; }
  kernels::Operand<BFloat16> view(Transpose layout) const {
    return layout == Transpose::kNo
               ? kernels::Operand<BFloat16>{by_rows_.data(), row_stride_, 1}
               : kernels::Operand<BFloat16>{by_columns_.data(), 1, column_stride_};
  }

 private:
  std::int64_t cols_;
  std::vector<float> values_;
  std::int64_t row_stride_, column_stride_;
  GuardedArray<BFloat16> by_rows_, by_columns_;
};

// A product and what it should be.
struct Case {
  Case(std::int64_t m, std::int64_t n, std::int64_t inner)
      : k(inner),
        extent{m, n, n + kGap},
        a(m, k, 1),
        b(k, n, 2),
        before(random_floats(m * n, 3)),
        exact(static_cast<std::size_t>(m * n)),
        magnitude(exact.size()),
        c((m - 1) * extent.stride + n) {
    for (std::int64_t r = 0; r < m; ++r) {
      for (std::int64_t i = 0; i < k; ++i) {
        const double left{a.row(r)[i]};
        for (std::int64_t col = 0; col < n; ++col) {
          const double product = left * double{b.row(i)[col]};
          exact[static_cast<std::size_t>(r * n + col)] += product;
          magnitude[static_cast<std::size_t>(r * n + col)] += std::abs(product);
        }
      }
    }
  }

  void multiply(const OneDnnBf16& products, Transpose of_a, Transpose of_b, bool accumulate,
                int worker) const {
    std::fill_n(c.data(), (extent.rows - 1) * extent.stride + extent.cols, kGuard);
    for (std::int64_t r = 0; r < extent.rows; ++r) {
      float* const row = c.data() + r * extent.stride;
      std::fill_n(row, extent.cols, std::numeric_limits<float>::quiet_NaN());
      if (accumulate) std::copy_n(before.begin() + r * extent.cols, extent.cols, row);
    }
    products.multiply(a.view(of_a), b.view(of_b), k, extent, c.data(), accumulate, worker);
  }

  // Each of k additions in fp32 rounds by 6e-8 of a partial sum. They add up as a random walk, and
  // partial sums are much smaller than the sum of the magnitudes.
  void expect_exact_up_to_rounding(bool accumulate) const {
    for (std::int64_t r = 0; r < extent.rows; ++r) {
      for (std::int64_t col = 0; col < extent.cols; ++col) {
        const auto i = static_cast<std::size_t>(r * extent.cols + col);
        const double added = accumulate ? double{before[i]} : 0;
        ASSERT_NEAR(c.data()[r * extent.stride + col], exact[i] + added,
                    1e-6 * (magnitude[i] + std::abs(added)))
            << "row " << r << ", column " << col;
      }
      for (std::int64_t gap = 0; gap < (r + 1 == extent.rows ? 0 : kGap); ++gap) {
        ASSERT_EQ(c.data()[r * extent.stride + extent.cols + gap], kGuard) << "after row " << r;
      }
    }
  }

  std::int64_t k;
  kernels::Extent extent;
  TestOperand a, b;
  std::vector<float> before;
  std::vector<double> exact, magnitude;
  GuardedArray<float> c;
};

class OneDnnBf16Test : public ::testing::Test {
 protected:
  // oneDNN takes bf16 where it may use AVX-512.
  static bool usable() {
    const auto needed = static_cast<unsigned>(dnnl_cpu_isa_avx512_core);
    return (static_cast<unsigned>(dnnl_get_effective_cpu_isa()) & needed) == needed;
  }
  Compute compute_{testing::kernels_under_test(), 2};
};

#define TANDEM_NEEDS_BF16() \
  if (!usable()) GTEST_SKIP() << "oneDNN multiplies no bf16 without AVX-512"

TEST_F(OneDnnBf16Test, MatchesPlainLoopsForAllLayoutsAndSizes) {
  TANDEM_NEEDS_BF16();
  const OneDnnBf16 products(1);
  for (const auto& [m, n, k] : {std::tuple{1, 1, 1},
                                {1, 2, 1},
                                {7, 17, 2},
                                {8, 48, 31},
                                {9, 768, 64},
                                {33, 48, 1000},
                                {216, 2, 100},
                                {1, 768, 100},
                                {216, 17, 1},
                                {33, 2, 2},
                                {8, 1, 64},
                                {1, 48, 1000},
                                {216, 768, 31},
                                {9, 17, 1000},
                                {7, 768, 1}}) {
    const Case product(m, n, k);
    for (const Transpose of_a : {Transpose::kNo, Transpose::kYes}) {
      for (const Transpose of_b : {Transpose::kNo, Transpose::kYes}) {
        for (const bool accumulate : {false, true}) {
          SCOPED_TRACE(fmt::format("{} x {} x {}, a {} transposed, b {}, accumulate {}", m, k, n,
                                   of_a == Transpose::kYes, of_b == Transpose::kYes, accumulate));
          product.multiply(products, of_a, of_b, accumulate, 0);
          product.expect_exact_up_to_rounding(accumulate);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

// The number of tokens of a batch is the inner length of a weight's gradient.
TEST_F(OneDnnBf16Test, MultipliesAnyNumberOfTokens) {
  TANDEM_NEEDS_BF16();
  const OneDnnBf16 products(1);
  for (std::int64_t tokens = 500; tokens < 1500; tokens += 17) {
    SCOPED_TRACE(tokens);
    const Case product(24, 48, tokens);
    product.multiply(products, Transpose::kYes, Transpose::kNo, true, 0);
    product.expect_exact_up_to_rounding(true);
    if (HasFatalFailure()) return;
  }
}

TEST_F(OneDnnBf16Test, HasTheSameBitsInAnyTile) {
  TANDEM_NEEDS_BF16();
  const OneDnnBf16 products(1);
  constexpr std::int64_t kRowUnit = 24, kColumnUnit = 48;
  const Case whole(100, 200, 1700);
  whole.multiply(products, Transpose::kNo, Transpose::kYes, false, 0);
  const kernels::Extent& extent = whole.extent;
  const kernels::Operand<BFloat16> a = whole.a.view(Transpose::kNo);
  const kernels::Operand<BFloat16> b = whole.b.view(Transpose::kYes);
  for (std::int64_t row = 0; row < extent.rows; row += kRowUnit) {
    for (std::int64_t col = 0; col < extent.cols; col += kColumnUnit) {
      const kernels::Extent tile = {std::min(kRowUnit, extent.rows - row),
                                    std::min(kColumnUnit, extent.cols - col), kColumnUnit};
      std::vector<float> c(static_cast<std::size_t>(tile.rows * tile.stride));
      products.multiply({a.data + row * a.row_stride, a.row_stride, a.column_stride},
                        {b.data + col * b.column_stride, b.row_stride, b.column_stride}, whole.k,
                        tile, c.data(), false, 0);
      for (std::int64_t r = 0; r < tile.rows; ++r) {
        for (std::int64_t i = 0; i < tile.cols; ++i) {
          ASSERT_EQ(c[static_cast<std::size_t>(r * tile.stride + i)],
                    whole.c.data()[(row + r) * extent.stride + col + i]);
        }
      }
    }
  }
}

TEST_F(OneDnnBf16Test, ServesTwoThreadsAtOnce) {
  TANDEM_NEEDS_BF16();
  const OneDnnBf16 products(compute_.pool().size());
  constexpr std::int64_t kTasks = 60;
  compute_.pool().run(kTasks, [&](std::int64_t task, int worker) {
    const Case product(10 + task % 3 * 40, 50 + task % 2 * 60, 70 + task);
    const bool accumulate = task % 4 == 0;
    product.multiply(products, Transpose::kNo, Transpose::kYes, accumulate, worker);
    product.expect_exact_up_to_rounding(accumulate);
  });
}

TEST_F(OneDnnBf16Test, SaysThatItHasNoProducts) {
  if (usable()) GTEST_SKIP() << "oneDNN multiplies bf16 here";
  EXPECT_FALSE(onednn_multiplies_bf16());
  const testing::Failure failure = testing::failure_of([] { OneDnnBf16 products(1); });
  EXPECT_EQ(failure.code, ExitCode::kMachine);
  EXPECT_TRUE(failure.message.starts_with(fmt::format(
      "oneDNN {} has no products of bf16 for this CPU or these kernels: ", onednn_version())))
      << failure.message;
}

}  // namespace
}  // namespace tandem
