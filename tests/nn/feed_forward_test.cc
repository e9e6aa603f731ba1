#include "nn/feed_forward.h"

#include "support/layer_fixture.h"

namespace tandem {
namespace {

using testing::elements;

TEST(FeedForward, BackwardMatchesFiniteDifferencesAndAddsToTheInputsGradient) {
  testing::LayerFixture fixture;
  constexpr std::int64_t kWidth = 12, kIntermediate = 20;
  ParamTable table;
  const FeedForward<float> layer = {
      .intermediate = {{table.add("intermediate", kIntermediate, kWidth, WeightDecay::kYes),
                        table.add("intermediate bias", 1, kIntermediate, WeightDecay::kNo)}},
      .output = {{table.add("output", kWidth, kIntermediate, WeightDecay::kYes), {}}}};
  testing::RandomParams params(table);
  Step step = fixture.step();
  const Matrix<float> x = fixture.random_matrix(13, kWidth, 1);
  const Matrix<float> dy = fixture.random_matrix(13, kWidth, 2);
  const Matrix<float> y = fixture.random_matrix(13, kWidth, 3);
  const Matrix<float> dx = fixture.random_matrix(13, kWidth, 4);
  std::ranges::fill(elements(dx), 5.0F);
  const auto saved = FeedForward<float>::allocate(13, kIntermediate, step.arena);
  const auto loss = [&] {
    layer.forward(params.weights_view(), x, y, saved, step);
    return testing::dot(elements(y), elements(dy));
  };
  loss();
  layer.backward(params.weights_view(), saved, x, dy, dx, params.gradients_view(), step);
  for (float& value : elements(dx)) value -= 5;
  testing::expect_gradient(elements(x), elements(dx), loss);
  testing::expect_parameter_gradients(table, params, loss);
}

}  // namespace
}  // namespace tandem
