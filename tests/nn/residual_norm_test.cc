#include "nn/residual_norm.h"

#include "support/layer_fixture.h"

namespace tandem {
namespace {

using testing::elements;

TEST(ResidualNorm, BackwardMatchesFiniteDifferencesWithDropout) {
  testing::LayerFixture fixture;
  constexpr std::int64_t kWidth = 20;
  ParamTable table;
  const ResidualNorm<float> layer = {.norm = {table.add("gamma", 1, kWidth, WeightDecay::kNo),
                                              table.add("beta", 1, kWidth, WeightDecay::kNo)},
                                     .bias = table.add("bias", 1, kWidth, WeightDecay::kNo),
                                     .epsilon = 1e-5F,
                                     .dropout_probability = 0.25F,
                                     .site = DropoutSite::kOutput,
                                     .layer = 1};
  testing::RandomParams params(table, 1);
  Step step = fixture.step(testing::kTestDropout);
  const Matrix<float> x = fixture.random_matrix(13, kWidth, 1);
  const Matrix<float> residual = fixture.random_matrix(13, kWidth, 2);
  const Matrix<float> dy = fixture.random_matrix(13, kWidth, 3);
  const Matrix<float> y = fixture.random_matrix(13, kWidth, 4);
  const Matrix<float> dx = fixture.random_matrix(13, kWidth, 5);
  const Matrix<float> d_residual = fixture.random_matrix(13, kWidth, 6);
  const auto saved = ResidualNorm<float>::allocate(13, kWidth, step);
  const auto loss = [&] {
    layer.forward(params.weights_view(), x, residual, y, saved, step);
    return testing::dot(elements(y), elements(dy));
  };
  loss();
  layer.backward(params.weights_view(), saved, dy, d_residual, dx, params.gradients_view(), step);
  testing::expect_gradient(elements(x), elements(dx), loss);
  testing::expect_gradient(elements(residual), elements(d_residual), loss);
  testing::expect_parameter_gradients(table, params, loss);

  loss();
  const Matrix<float> again = fixture.random_matrix(13, kWidth, 7);
  layer.recompute_output(params.weights_view(), saved, again, step);
  for (std::size_t i = 0; i < elements(y).size(); ++i) {
    ASSERT_NEAR(elements(again)[i], elements(y)[i], 1e-6);
  }
}

}  // namespace
}  // namespace tandem
