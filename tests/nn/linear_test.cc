#include "nn/linear.h"

#include "support/layer_fixture.h"

namespace tandem {
namespace {

using testing::elements;

TEST(Linear, BackwardMatchesFiniteDifferences) {
  testing::LayerFixture fixture;
  ParamTable table;
  const Linear<float> linear = {
      {table.add("weight", 10, 12, WeightDecay::kYes), table.add("bias", 1, 10, WeightDecay::kNo)}};
  testing::RandomParams params(table);
  Step step = fixture.step();
  const Matrix<float> x = fixture.random_matrix(13, 12, 1);
  const Matrix<float> dy = fixture.random_matrix(13, 10, 2);
  const Matrix<float> y = fixture.random_matrix(13, 10, 3);
  const Matrix<float> dx = fixture.random_matrix(13, 12, 4);
  const auto loss = [&] {
    linear.forward(params.weights_view(), x, y, step);
    return testing::dot(elements(y), elements(dy));
  };
  linear.backward_input(params.weights_view(), dy, dx, InputGradient::kOverwrite, step);
  linear.backward_weight(x, dy, params.gradients_view(), step);
  linear.backward_bias(dy, params.gradients_view(), step);
  testing::expect_gradient(elements(x), elements(dx), loss);
  testing::expect_parameter_gradients(table, params, loss);
}

TEST(Linear, GradientsAccumulateOnlyWhenTheStepSaysSo) {
  testing::LayerFixture fixture;
  ParamTable table;
  const Linear<float> linear = {
      {table.add("weight", 3, 4, WeightDecay::kYes), table.add("bias", 1, 3, WeightDecay::kNo)}};
  testing::RandomParams params(table);
  const Matrix<float> x = fixture.random_matrix(13, 4, 1);
  const Matrix<float> dy = fixture.random_matrix(13, 3, 2);
  Step step = fixture.step();
  const auto backward = [&] {
    linear.backward_weight(x, dy, params.gradients_view(), step);
    linear.backward_bias(dy, params.gradients_view(), step);
  };
  backward();
  const std::vector<float> once = params.gradients;
  backward();
  EXPECT_EQ(params.gradients, once);
  step.accumulate = true;
  backward();
  for (const ParamInfo& param : table.all()) {
    const auto at = static_cast<std::size_t>(param.slice.offset);
    EXPECT_NEAR(params.gradients[at], 2 * once[at], 1e-5);
  }
}

}  // namespace
}  // namespace tandem
