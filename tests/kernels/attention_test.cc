#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/kernel_rows.h"
#include "support/usable_kernels.h"

namespace tandem {
namespace {

using testing::EveryKernelSet;
using testing::expect_close;
using testing::random_rows;

// Scores are sums of up to 64 products, probabilities' sums of up to 200: rounding of 1e-5.
constexpr double kTolerance = 1e-5;

struct Shape {
  std::int64_t tokens, queries, width;
  bool dropout;

  kernels::Extent qkv() const { return {tokens, 3 * width, 3 * width + 5}; }
  kernels::Extent context() const { return {queries, width, width + 2}; }
  kernels::Extent log_sum_exp() const { return {queries, 1, 2}; }
};

template <class T>
struct Forward {
  std::vector<T> context;
  std::vector<float> log_sum_exp;
};

template <class T>
struct Head {
  Shape shape;
  std::vector<T> qkv = random_rows<T>(shape.qkv(), 1);
  std::vector<T> d_context = random_rows<T>(shape.context(), 2);
  std::vector<float> workspace = std::vector<float>(
      static_cast<std::size_t>(kernels::attention_workspace_floats<T>(shape.tokens, shape.width)));

  kernels::AttentionHead<T> arguments() {
    return {.tokens = shape.tokens,
            .queries = shape.queries,
            .width = shape.width,
            .query = qkv.data(),
            .query_stride = shape.qkv().stride,
            .key = qkv.data() + shape.width,
            .value = qkv.data() + 2 * shape.width,
            .key_value_stride = shape.qkv().stride,
            .scale = 1 / std::sqrt(static_cast<float>(shape.width)),
            .dropout = {.seed = {1, 2},
                        .step = 3,
                        .site = 1,
                        .threshold = shape.dropout ? 1U << 30 : 0U,
                        .scale = 1 / 0.75F},
            .sample = 11,
            .head = 2,
            .next_head_follows = false,
            .workspace = workspace.data()};
  }

  Forward<T> forward(const kernels::Table& table) {
    Forward<T> result{testing::empty_rows<T>(shape.context()),
                      testing::empty_rows<float>(shape.log_sum_exp())};
    table.of<T>().attention_forward(arguments(), result.context.data(), shape.context().stride,
                                    result.log_sum_exp.data(), shape.log_sum_exp().stride);
    return result;
  }

  // The gradients of queries that aren't answered are left as they are.
  std::vector<T> backward(const kernels::Table& table, const Forward<T>& saved) {
    std::vector<T> d_qkv = random_rows<T>(shape.qkv(), 3);
    T* const d = d_qkv.data();
    table.of<T>().attention_backward(arguments(), saved.context.data(), d_context.data(),
                                     shape.context().stride, saved.log_sum_exp.data(),
                                     shape.log_sum_exp().stride, d, d + shape.width,
                                     d + 2 * shape.width);
    return d_qkv;
  }
};

void expect_as_reference(const kernels::Table& table, const Shape& shape) {
  testing::for_each_type([&]<class T>() {
    Head<T> head{shape};
    const Forward<T> expected = head.forward(kernels::reference_table());
    const Forward<T> actual = head.forward(table);
    expect_close(actual.context, expected.context, shape.context(), kTolerance);
    expect_close(actual.log_sum_exp, expected.log_sum_exp, shape.log_sum_exp(), kTolerance);
    expect_close(head.backward(table, expected),
                 head.backward(kernels::reference_table(), expected), shape.qkv(), kTolerance);
  });
}

class AttentionKernels : public EveryKernelSet {};

TEST_P(AttentionKernels, MatchTheReferenceForEveryLengthAndWidth) {
  for (const std::int64_t tokens : {1, 2, 5, 16, 31, 32, 33, 65, 130}) {
    for (const std::int64_t width : {4, 7, 8, 24, 32, 64}) {
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
