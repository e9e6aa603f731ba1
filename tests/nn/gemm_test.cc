#include "nn/gemm.h"

#include <tuple>
#include <type_traits>

#include "nn/onednn.h"
#include "nn/onednn_bf16.h"
#include "support/bf16_products.h"
#include "support/layer_fixture.h"

namespace tandem {
namespace {

using testing::random_floats;

// A product of operands T that gives C, with what it works on.
template <class T, class C>
struct Operands {
  std::vector<T> a, b;
  std::vector<C> c;
  Product<T, C> product;
};

constexpr std::int64_t kGap = 3;  // between rows, to be left as it is
constexpr float kGuard = 0x1p20F;

template <class T>
Matrix<T> view(std::vector<T>& data, std::int64_t rows, std::int64_t cols) {
  return {data.data(), rows, cols, cols + kGap};
}

template <class T>
std::vector<T> with_gaps(std::int64_t rows, std::int64_t cols, std::uint32_t seed) {
  const std::vector<float> random = random_floats(rows * (cols + kGap), seed);
  std::vector<T> data;
  for (std::size_t i = 0; i < random.size(); ++i) {
    const bool gap = static_cast<std::int64_t>(i) % (cols + kGap) >= cols;
    data.push_back(round_to<T>(gap ? kGuard : random[i]));
  }
  return data;
}

template <class T, class C = T>
Operands<T, C> operands(std::int64_t m, std::int64_t n, std::int64_t k, Transpose ta,
                        Transpose tb) {
  const bool a_as_it_is = ta == Transpose::kNo;
  const bool b_as_it_is = tb == Transpose::kNo;
  Operands<T, C> o{a_as_it_is ? with_gaps<T>(m, k, 1) : with_gaps<T>(k, m, 1),
                   b_as_it_is ? with_gaps<T>(k, n, 2) : with_gaps<T>(n, k, 2),
                   with_gaps<C>(m, n, 3),
                   {}};
  o.product = {.a = a_as_it_is ? view(o.a, m, k) : view(o.a, k, m),
               .a_transpose = ta,
               .b = b_as_it_is ? view(o.b, k, n) : view(o.b, n, k),
               .b_transpose = tb,
               .c = view(o.c, m, n)};
  return o;
}

template <class T, class C>
void multiply(const Gemm& gemm, const Product<T, C>& product, const TileDone<C>& tile_done = {}) {
  std::vector<float> workspace(static_cast<std::size_t>(gemm.workspace_floats(product)));
  gemm.multiply(product, workspace, tile_done);
}

// The same product by another Gemm; both sum up to 450 products of numbers around 1 in fp32, and
// bf16 results are rounded once, by at most 2^-8 of themselves, from sums that may differ.
template <class T, class C>
void expect_same_product(const Gemm& actual_gemm, const Gemm& expected_gemm, std::int64_t m,
                         std::int64_t n, std::int64_t k, Transpose ta, Transpose tb,
                         bool accumulate) {
  auto actual = operands<T, C>(m, n, k, ta, tb);
  auto expected = operands<T, C>(m, n, k, ta, tb);
  actual.product.accumulate = expected.product.accumulate = accumulate;
  multiply(actual_gemm, actual.product);
  multiply(expected_gemm, expected.product);
  for (std::size_t i = 0; i < actual.c.size(); ++i) {
    const float value = to_float(expected.c[i]);
    const float rounding = std::is_same_v<C, float> ? 0 : std::abs(value) * 0x1p-7F;
    ASSERT_NEAR(to_float(actual.c[i]), value, 1e-4F + rounding) << m << "x" << n << "x" << k;
  }
}

// All layouts, sizes around those of tiles, and both ways of storing.
template <class T, class C>
void expect_same_products(const Gemm& actual, const Gemm& expected) {
  for (const auto& [m, n, k] :
       {std::tuple{1, 2, 3}, {32, 2, 64}, {40, 70, 33}, {300, 17, 5}, {23, 100, 450}}) {
    for (const Transpose ta : {Transpose::kNo, Transpose::kYes}) {
      for (const Transpose tb : {Transpose::kNo, Transpose::kYes}) {
        for (const bool accumulate : {false, true}) {
          expect_same_product<T, C>(actual, expected, m, n, k, ta, tb, accumulate);
        }
      }
    }
  }
}

TEST(Gemm, MatchesPlainLoopsForAllLayoutsAndSizes) {
  ThreadPool pool(2);
  const Gemm fast(pool, kernels::choose_table(testing::kernels_under_test()));
  const Gemm plain(pool, kernels::reference_table());
  expect_same_products<float, float>(fast, plain);
}

class GemmOfBf16 : public testing::EitherBf16Products {
 protected:
  static Compute compute(int threads) {
    return Compute(testing::kernels_under_test(), threads, {}, products());
  }
};

TEST_P(GemmOfBf16, MatchesPlainLoopsForAllLayoutsAndSizes) {
  Compute fast = compute(2);
  const Gemm plain(fast.pool(), kernels::reference_table());
  expect_same_products<BFloat16, BFloat16>(fast.gemm(), plain);
  expect_same_products<BFloat16, float>(fast.gemm(), plain);
}

// Of a batch that is smaller than the one that memory was planned for, the rows are fewer, or, for
// a weight's gradient, the terms of a sum.
template <class C>
void expect_growing_workspace(const Gemm& gemm, Transpose a_transpose) {
  std::int64_t before = 0;
  for (std::int64_t tokens = 1; tokens < 4000; ++tokens) {
    Product<BFloat16, C> product;
    product.a = {nullptr, tokens, 64, 64};
    product.a_transpose = a_transpose;
    if (a_transpose == Transpose::kNo) {
      product.b = {nullptr, 64, 96, 96};
      product.c = {nullptr, tokens, 96, 96};
    } else {
      product.b = {nullptr, tokens, 96, 96};
      product.c = {nullptr, 64, 96, 96};
    }
    const std::int64_t floats = gemm.workspace_floats(product);
    ASSERT_GE(floats, before) << tokens << " tokens";
    before = floats;
  }
}

TEST_P(GemmOfBf16, NeedsNoLessWorkspaceForMoreTokens) {
  Compute fast = compute(3);
  expect_growing_workspace<BFloat16>(fast.gemm(), Transpose::kNo);
  expect_growing_workspace<float>(fast.gemm(), Transpose::kYes);
}

TEST(Gemm, AgreesWithOneDnn) {
  ThreadPool pool(2);
  const Gemm gemm(pool, kernels::choose_table(testing::kernels_under_test()));
  auto ours = operands<float>(61, 130, 300, Transpose::kYes, Transpose::kYes);
  auto theirs = operands<float>(61, 130, 300, Transpose::kYes, Transpose::kYes);
  multiply(gemm, ours.product);
  multiply_with_onednn(theirs.product);
  for (std::size_t i = 0; i < ours.c.size(); ++i) ASSERT_NEAR(ours.c[i], theirs.c[i], 1e-4);
}

// compute(threads) makes what multiplies.
template <class T, class C, class Make>
void expect_same_bits_for_any_number_of_threads(std::int64_t rows, std::int64_t cols,
                                                const Make& compute) {
  SCOPED_TRACE(fmt::format("{} x {}", rows, cols));
  std::vector<std::vector<C>> results;
  for (const int threads : {1, 2, 3}) {
    Compute fast = compute(threads);
    auto o = operands<T, C>(rows, cols, 200, Transpose::kNo, Transpose::kYes);
    multiply(fast.gemm(), o.product);
    results.push_back(o.c);
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST(Gemm, HasTheSameBitsForAnyNumberOfThreads) {
  expect_same_bits_for_any_number_of_threads<float, float>(
      517, 1100, [](int threads) { return Compute(testing::kernels_under_test(), threads); });
}

// Also where tiles of 24 rows, or of 48 columns, would leave one over, which oneDNN sums in another
// order.
TEST_P(GemmOfBf16, HasTheSameBitsForAnyNumberOfThreads) {
  expect_same_bits_for_any_number_of_threads<BFloat16, BFloat16>(517, 1100, compute);
  for (const std::int64_t rows : {1, 2, 25, 49, 217}) {
    for (const std::int64_t cols : {1, 97, 768, 769}) {
      expect_same_bits_for_any_number_of_threads<BFloat16, float>(rows, cols, compute);
    }
  }
}

// Counts how often each element is given, and keeps the sums that came with it.
template <class T>
void expect_tile_done_once_with_the_sums(const Gemm& gemm) {
  auto o = operands<T>(517, 1100, 8, Transpose::kNo, Transpose::kNo);
  auto expected = operands<T, float>(517, 1100, 8, Transpose::kNo, Transpose::kNo);
  multiply(gemm, expected.product);
  std::vector<float> seen(517 * 1100);
  std::vector<float> given(517 * 1100);
  multiply(gemm, o.product,
           TileDone<T>(
               [&](const kernels::Sums& sums, Matrix<T> tile, std::int64_t row, std::int64_t col) {
                 for (std::int64_t r = 0; r < tile.rows; ++r) {
                   for (std::int64_t c = 0; c < tile.cols; ++c) {
                     const auto at = static_cast<std::size_t>((row + r) * 1100 + col + c);
                     seen[at] += 1;
                     given[at] = sums.data[r * sums.stride + c];
                     EXPECT_EQ(tile.row(r) + c, o.product.c.row(row + r) + col + c);
                   }
                 }
               }));
  EXPECT_EQ(seen, std::vector<float>(seen.size(), 1.0F));
  for (std::int64_t r = 0; r < 517; ++r) {
    const auto row = given.begin() + r * 1100;
    ASSERT_TRUE(std::equal(row, row + 1100, expected.product.c.row(r))) << "row " << r;
  }
}

TEST(Gemm, CallsTileDoneOnceForEveryElementWithItsSum) {
  Compute compute(testing::kernels_under_test(), 2);
  expect_tile_done_once_with_the_sums<float>(compute.gemm());
}

TEST_P(GemmOfBf16, CallsTileDoneOnceForEveryElementWithItsSum) {
  Compute fast = compute(2);
  expect_tile_done_once_with_the_sums<BFloat16>(fast.gemm());
}

TANDEM_WITH_EITHER_BF16_PRODUCTS(GemmOfBf16);

}  // namespace
}  // namespace tandem
