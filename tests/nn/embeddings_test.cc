#include "nn/embeddings.h"

#include "support/layer_fixture.h"

namespace tandem {
namespace {

using testing::elements;

TEST(Embeddings, BackwardMatchesFiniteDifferencesWithRepeatedTokensAndDropout) {
  testing::LayerFixture fixture;
  constexpr std::int64_t kWidth = 70;  // more than one task's columns
  ParamTable table;
  const Embeddings<float> layer = {.word = table.add("word", 9, kWidth, WeightDecay::kYes),
                                   .position = table.add("position", 8, kWidth, WeightDecay::kYes),
                                   .token_type = table.add("type", 2, kWidth, WeightDecay::kYes),
                                   .norm = {table.add("gamma", 1, kWidth, WeightDecay::kNo),
                                            table.add("beta", 1, kWidth, WeightDecay::kNo)},
                                   .epsilon = 1e-5F,
                                   .dropout_probability = 0.25F};
  testing::RandomParams params(table, 1);
  Step step = fixture.step(testing::kTestDropout);
  const std::vector<std::int32_t> ids = {2, 5, 5, 1, 8, 2, 2, 3, 3, 3, 0, 1, 8};
  const std::vector<std::int32_t> segments = {0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1};
  const Matrix<float> y = fixture.random_matrix(13, kWidth, 1);
  const Matrix<float> dy = fixture.random_matrix(13, kWidth, 2);
  const Matrix<float> consumed = fixture.random_matrix(13, kWidth, 2);
  const auto saved = ResidualNorm<float>::allocate(13, kWidth, step);
  const auto loss = [&] {
    layer.forward(params.weights_view(), {ids, segments}, y, saved, step);
    return testing::dot(elements(y), elements(dy));
  };
  loss();
  layer.backward(params.weights_view(), {ids, segments}, saved, consumed, params.gradients_view(),
                 step);
  testing::expect_parameter_gradients(table, params, loss);
}

}  // namespace
}  // namespace tandem
