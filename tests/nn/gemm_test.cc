#include "nn/gemm.h"

#include <tuple>

#include "nn/onednn.h"
#include "support/layer_fixture.h"

namespace tandem {
namespace {

using testing::random_floats;

struct Operands {
  std::vector<float> a, b, c;
  Product product;
};

constexpr std::int64_t kGap = 3;  // between rows, to be left as it is
constexpr float kGuard = 1e6F;

Matrix<float> view(std::vector<float>& data, std::int64_t rows, std::int64_t cols) {
  return {data.data(), rows, cols, cols + kGap};
}

std::vector<float> with_gaps(std::int64_t rows, std::int64_t cols, std::uint32_t seed) {
  std::vector<float> data = random_floats(rows * (cols + kGap), seed);
  for (std::int64_t r = 0; r < rows; ++r) {
    std::fill_n(data.begin() + r * (cols + kGap) + cols, kGap, kGuard);
  }
  return data;
}

Operands operands(std::int64_t m, std::int64_t n, std::int64_t k, Transpose ta, Transpose tb) {
  const bool a_as_it_is = ta == Transpose::kNo;
  const bool b_as_it_is = tb == Transpose::kNo;
  Operands o{a_as_it_is ? with_gaps(m, k, 1) : with_gaps(k, m, 1),
             b_as_it_is ? with_gaps(k, n, 2) : with_gaps(n, k, 2),
             with_gaps(m, n, 3),
             {}};
  o.product = {.a = a_as_it_is ? view(o.a, m, k) : view(o.a, k, m),
               .a_transpose = ta,
               .b = b_as_it_is ? view(o.b, k, n) : view(o.b, n, k),
               .b_transpose = tb,
               .c = view(o.c, m, n)};
  return o;
}

void multiply(const Gemm& gemm, const Product& product, const Gemm::TileDone& tile_done = {}) {
  std::vector<float> workspace(static_cast<std::size_t>(gemm.workspace_floats(product)));
  gemm.multiply(product, workspace, tile_done);
}

TEST(Gemm, MatchesPlainLoopsForAllLayoutsAndSizes) {
  ThreadPool pool(2);
  Gemm fast(pool, kernels::choose_table(testing::kernels_under_test()));
  Gemm plain(pool, kernels::reference_table());
  for (const auto& [m, n, k] :
       {std::tuple{1, 2, 3}, {32, 2, 64}, {40, 70, 33}, {300, 17, 5}, {23, 100, 450}}) {
    for (const Transpose ta : {Transpose::kNo, Transpose::kYes}) {
      for (const Transpose tb : {Transpose::kNo, Transpose::kYes}) {
        for (const bool accumulate : {false, true}) {
          Operands actual = operands(m, n, k, ta, tb);
          Operands expected = operands(m, n, k, ta, tb);
          actual.product.accumulate = expected.product.accumulate = accumulate;
          multiply(fast, actual.product);
          multiply(plain, expected.product);
          for (std::size_t i = 0; i < actual.c.size(); ++i) {
            ASSERT_NEAR(actual.c[i], expected.c[i], 1e-4) << m << "x" << n << "x" << k;
          }
        }
      }
    }
  }
}

TEST(Gemm, NeedsNoLessWorkspaceForMoreRows) {
  ThreadPool pool(3);
  const Gemm gemm(pool, kernels::choose_table(testing::kernels_under_test()));
  std::int64_t before = 0;
  for (std::int64_t rows = 1; rows < 4000; ++rows) {
    const Product product = {
        .a = {nullptr, rows, 64, 64}, .b = {nullptr, 64, 96, 96}, .c = {nullptr, rows, 96, 96}};
    const std::int64_t floats = gemm.workspace_floats(product);
    ASSERT_GE(floats, before) << rows << " rows";
    before = floats;
  }
}

TEST(Gemm, AgreesWithOneDnn) {
  ThreadPool pool(2);
  const Gemm gemm(pool, kernels::choose_table(testing::kernels_under_test()));
  Operands ours = operands(61, 130, 300, Transpose::kYes, Transpose::kYes);
  Operands theirs = operands(61, 130, 300, Transpose::kYes, Transpose::kYes);
  multiply(gemm, ours.product);
  multiply_with_onednn(theirs.product);
  for (std::size_t i = 0; i < ours.c.size(); ++i) ASSERT_NEAR(ours.c[i], theirs.c[i], 1e-4);
}

TEST(Gemm, HasTheSameBitsForAnyNumberOfThreads) {
  std::vector<std::vector<float>> results;
  for (const int threads : {1, 2, 3}) {
    ThreadPool pool(threads);
    Gemm gemm(pool, kernels::choose_table(testing::kernels_under_test()));
    Operands o = operands(517, 1100, 200, Transpose::kNo, Transpose::kYes);
    multiply(gemm, o.product);
    results.push_back(o.c);
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST(Gemm, CallsTileDoneOnceForEveryElement) {
  ThreadPool pool(2);
  Gemm gemm(pool, kernels::choose_table(testing::kernels_under_test()));
  Operands o = operands(517, 1100, 8, Transpose::kNo, Transpose::kNo);
  std::vector<float> seen(517 * 1100);
  const Matrix<float> all{seen.data(), 517, 1100, 1100};
  multiply(gemm, o.product, [&](Matrix<float> tile, std::int64_t row, std::int64_t col) {
    for (std::int64_t r = 0; r < tile.rows; ++r) {
      for (std::int64_t c = 0; c < tile.cols; ++c) all.row(row + r)[col + c] += 1;
    }
  });
  EXPECT_EQ(seen, std::vector<float>(seen.size(), 1.0F));
}

}  // namespace
}  // namespace tandem
