#include "nn/attention.h"

#include "support/layer_fixture.h"

namespace tandem {
namespace {

using testing::elements;

constexpr std::int64_t kWidth = 24, kHeads = 3;

QueryKeyValue<float> random_inputs(testing::LayerFixture& fixture, std::int64_t queries,
                                   std::uint32_t seed) {
  return {fixture.random_matrix(queries, kWidth, seed), fixture.random_matrix(13, kWidth, seed + 1),
          fixture.random_matrix(13, kWidth, seed + 2)};
}

void check_gradients(Tokens tokens) {
  testing::LayerFixture fixture;
  const SelfAttention<float> layer = {
      .heads = kHeads, .dropout_probability = 0.25F, .layer = 0, .queries = tokens};
  Step step = fixture.step(testing::kTestDropout);
  const std::int64_t queries = step.batch.rows(tokens).count();
  const QueryKeyValue<float> input = random_inputs(fixture, queries, 1);
  const QueryKeyValue<float> gradient = random_inputs(fixture, queries, 4);
  const Matrix<float> d_context = fixture.random_matrix(queries, kWidth, 7);
  const auto saved = layer.allocate(queries, kWidth, step.arena);
  const auto loss = [&] {
    layer.forward(input, saved, step);
    return testing::dot(elements(saved.context), elements(d_context));
  };
  loss();
  layer.backward(input, saved, d_context, gradient, step);
  testing::expect_gradient(elements(input.query), elements(gradient.query), loss);
  testing::expect_gradient(elements(input.key), elements(gradient.key), loss);
  testing::expect_gradient(elements(input.value), elements(gradient.value), loss);
}

TEST(SelfAttention, BackwardMatchesFiniteDifferencesWithDropout) { check_gradients(Tokens::kAll); }

TEST(SelfAttention, BackwardOfFirstTokensMatchesFiniteDifferencesWithDropout) {
  check_gradients(Tokens::kFirst);
}

TEST(SelfAttention, SequencesOfAPackedBatchDoNotSeeEachOther) {
  testing::LayerFixture fixture;
  const SelfAttention<float> layer = {.heads = kHeads, .dropout_probability = 0.25F, .layer = 0};
  Step step = fixture.step(testing::kTestDropout);
  const QueryKeyValue<float> input = random_inputs(fixture, 13, 1);
  const auto saved = layer.allocate(13, kWidth, step.arena);
  layer.forward(input, saved, step);
  const Matrix<float> first = saved.context.row_range(0, 5);
  const std::vector<float> before(first.data, first.data + 5 * kWidth);
  for (std::int64_t t = 5; t < 13; ++t) input.key.row(t)[0] += 100;
  layer.forward(input, saved, step);
  EXPECT_EQ(before, std::vector<float>(first.data, first.data + 5 * kWidth));
}

}  // namespace
}  // namespace tandem
