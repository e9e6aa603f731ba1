#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/random_floats.h"
#include "support/usable_kernels.h"

namespace tandem {
namespace {

using testing::EveryKernelSet;
using testing::random_floats;

struct Shape {
  std::int64_t tokens, queries, width;
  bool dropout;
};

struct Result {
  std::vector<float> context, log_sum_exp, d_qkv;
};

Result run(const kernels::Table& table, const Shape& shape) {
  const std::int64_t n = shape.tokens;
  const std::int64_t qkv_stride = 3 * shape.width + 5;
  const std::int64_t context_stride = shape.width + 2;
  const auto qkv = random_floats(n * qkv_stride, 1);
  const auto d_context = random_floats(n * context_stride, 2);
  std::vector<float> workspace(
      static_cast<std::size_t>(kernels::attention_workspace_floats(n, shape.width)));
  Result result{std::vector<float>(d_context.size()),
                std::vector<float>(static_cast<std::size_t>(2 * n)),
                std::vector<float>(qkv.size())};
  const kernels::AttentionHead head = {.tokens = n,
                                       .queries = shape.queries,
                                       .width = shape.width,
                                       .query = qkv.data(),
                                       .query_stride = qkv_stride,
                                       .key = qkv.data() + shape.width,
                                       .value = qkv.data() + 2 * shape.width,
                                       .key_value_stride = qkv_stride,
                                       .scale = 1 / std::sqrt(static_cast<float>(shape.width)),
                                       .dropout = {.seed = {1, 2},
                                                   .step = 3,
                                                   .site = 1,
                                                   .threshold = shape.dropout ? 1U << 30 : 0U,
                                                   .scale = 1 / 0.75F},
                                       .sample = 11,
                                       .head = 2,
                                       .workspace = workspace.data()};
  table.attention_forward(head, result.context.data(), context_stride, result.log_sum_exp.data(),
                          2);
  float* const d = result.d_qkv.data();
  table.attention_backward(head, result.context.data(), d_context.data(), context_stride,
                           result.log_sum_exp.data(), 2, d, d + shape.width, d + 2 * shape.width);
  return result;
}

void expect_close(const std::vector<float>& actual, const std::vector<float>& expected) {
  double largest = 1;
  for (const float value : expected) largest = std::max(largest, std::abs(double{value}));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    // Scores are sums of up to 64 products, probabilities' sums of up to 200: rounding of 1e-5.
    ASSERT_NEAR(actual[i], expected[i], 1e-5 * largest) << "element " << i;
  }
}

void expect_as_reference(const kernels::Table& table, const Shape& shape) {
  const Result actual = run(table, shape);
  const Result expected = run(kernels::reference_table(), shape);
  expect_close(actual.context, expected.context);
  expect_close(actual.log_sum_exp, expected.log_sum_exp);
  expect_close(actual.d_qkv, expected.d_qkv);
}

class AttentionKernels : public EveryKernelSet {};

TEST_P(AttentionKernels, MatchTheReferenceForEveryLengthAndWidth) {
  for (const std::int64_t tokens : {1, 2, 5, 16, 31, 32, 33, 65, 130}) {
    for (const std::int64_t width : {4, 8, 24, 32, 64}) {
      for (const bool dropout : {false, true}) {
        SCOPED_TRACE(fmt::format("{} tokens of width {}", tokens, width));
        expect_as_reference(*GetParam(), {tokens, tokens, width, dropout});
      }
    }
  }
}

TEST_P(AttentionKernels, AnswerTheFirstQueriesAlone) {
  for (const std::int64_t queries : {1, 3, 40}) {
    SCOPED_TRACE(fmt::format("{} queries of 65", queries));
    expect_as_reference(*GetParam(), {65, queries, 32, true});
  }
}

TANDEM_FOR_EVERY_KERNEL_SET(AttentionKernels);

}  // namespace
}  // namespace tandem
