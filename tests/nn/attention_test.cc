#include "nn/attention.h"

#include "support/layer_fixture.h"

namespace tandem {
namespace {

using testing::elements;

constexpr std::int64_t kWidth = 24, kHeads = 3;

TEST(SelfAttention, BackwardMatchesFiniteDifferencesWithDropout) {
  testing::LayerFixture fixture;
  const SelfAttention layer = {.heads = kHeads, .dropout_probability = 0.25F, .layer = 0};
  Step step = fixture.step(testing::kTestDropout);
  const Matrix<float> qkv = fixture.random_matrix(13, 3 * kWidth, 1);
  const Matrix<float> d_context = fixture.random_matrix(13, kWidth, 2);
  const Matrix<float> d_qkv = fixture.random_matrix(13, 3 * kWidth, 3);
  const auto saved = layer.allocate(13, kWidth, step.arena);
  const auto loss = [&] {
    layer.forward(qkv, saved, step);
    return testing::dot(elements(saved.context), elements(d_context));
  };
  loss();
  layer.backward(qkv, saved, d_context, d_qkv, step);
  testing::expect_gradient(elements(qkv), elements(d_qkv), loss);
}

TEST(SelfAttention, SequencesOfAPackedBatchDoNotSeeEachOther) {
  testing::LayerFixture fixture;
  const SelfAttention layer = {.heads = kHeads, .dropout_probability = 0.25F, .layer = 0};
  Step step = fixture.step(testing::kTestDropout);
  const Matrix<float> qkv = fixture.random_matrix(13, 3 * kWidth, 1);
  const auto saved = layer.allocate(13, kWidth, step.arena);
  layer.forward(qkv, saved, step);
  const Matrix<float> first = saved.context.row_range(0, 5);
  const std::vector<float> before(first.data, first.data + 5 * kWidth);
  for (std::int64_t t = 5; t < 13; ++t) qkv.row(t)[0] += 100;
  layer.forward(qkv, saved, step);
  EXPECT_EQ(before, std::vector<float>(first.data, first.data + 5 * kWidth));
}

}  // namespace
}  // namespace tandem
