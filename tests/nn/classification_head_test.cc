#include "nn/classification_head.h"

#include "support/layer_fixture.h"

namespace tandem {
namespace {

using testing::elements;

class ClassificationHeadTest : public ::testing::TestWithParam<HeadActivation> {};
INSTANTIATE_TEST_SUITE_P(Activations, ClassificationHeadTest,
                         ::testing::Values(HeadActivation::kTanh, HeadActivation::kRelu));

TEST_P(ClassificationHeadTest, BackwardMatchesFiniteDifferencesWithDropout) {
  testing::LayerFixture fixture;
  constexpr std::int64_t kWidth = 16, kOutputs = 4;
  ParamTable table;
  const ClassificationHead head = {
      .pooler = {{table.add("pooler", kWidth, kWidth, WeightDecay::kYes),
                  table.add("pooler bias", 1, kWidth, WeightDecay::kNo)}},
      .classifier = {{table.add("classifier", kOutputs, kWidth, WeightDecay::kYes),
                      table.add("classifier bias", 1, kOutputs, WeightDecay::kNo)}},
      .activation = GetParam(),
      .dropout_probability = 0.25F};
  testing::RandomParams params(table);
  Step step = fixture.step(testing::kTestDropout);
  const auto saved = ClassificationHead::allocate(3, kWidth, step.arena);
  std::ranges::copy(testing::random_floats(3 * kWidth, 1), saved.first.data);
  const Matrix<float> logits = fixture.random_matrix(3, kOutputs, 2);
  const Matrix<float> d_logits = fixture.random_matrix(3, kOutputs, 3);
  const Matrix<float> d_first = fixture.random_matrix(3, kWidth, 4);
  const auto loss = [&] {
    head.forward(params.weights_view(), logits, saved, step);
    return testing::dot(elements(logits), elements(d_logits));
  };
  loss();
  head.backward(params.weights_view(), saved, d_logits, d_first, params.gradients_view(), step);
  testing::expect_gradient(elements(saved.first), elements(d_first), loss);
  testing::expect_parameter_gradients(table, params, loss);
}

}  // namespace
}  // namespace tandem
