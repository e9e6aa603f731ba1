#include "nn/loss.h"

#include "support/layer_fixture.h"

namespace tandem {
namespace {

using testing::elements;

TEST(Loss, GradientsMatchFiniteDifferences) {
  testing::LayerFixture fixture;
  const Matrix<float> logits = fixture.random_matrix(4, 3, 1);
  const Matrix<float> d_logits = fixture.random_matrix(4, 3, 2);
  const std::vector<float> classes = {0, 2, 1, 1};
  cross_entropy(logits, classes, 8, d_logits);
  testing::expect_gradient(elements(logits), elements(d_logits),
                           [&] { return cross_entropy(logits, classes, 8, {}); });

  const Matrix<float> scores = fixture.random_matrix(4, 1, 3);
  const Matrix<float> d_scores = fixture.random_matrix(4, 1, 4);
  const std::vector<float> values = {0.5F, 4.2F, -1, 0};
  squared_error(scores, values, 8, d_scores);
  testing::expect_gradient(elements(scores), elements(d_scores),
                           [&] { return squared_error(scores, values, 8, {}); });
}

TEST(Loss, PartsOfABatchAddUpToTheWhole) {
  testing::LayerFixture fixture;
  const Matrix<float> logits = fixture.random_matrix(5, 3, 1);
  const std::vector<float> labels = {0, 2, 1, 1, 0};
  const double whole = cross_entropy(logits, labels, 5, {});
  const std::span<const float> all(labels);
  const double parts = cross_entropy(logits.row_range(0, 2), all.subspan(0, 2), 5, {}) +
                       cross_entropy(logits.row_range(2, 5), all.subspan(2), 5, {});
  EXPECT_NEAR(whole, parts, 1e-12);
}

TEST(Loss, StaysFiniteForAVeryWrongPrediction) {
  float logits[] = {1000, -1000};
  const std::vector<float> label = {1};
  EXPECT_NEAR(cross_entropy({logits, 1, 2, 2}, label, 1, {}), 2000, 1e-9);
}

}  // namespace
}  // namespace tandem
