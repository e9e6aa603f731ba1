#include "optim/gradient_norm.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "kernels/dispatch.h"
#include "support/random_floats.h"

namespace tandem {
namespace {

TEST(GradientNorm, HasTheSameBitsForAnyNumberOfThreads) {
  const auto gradients = testing::random_floats(1'000'003, 1);
  const kernels::Table& kernels = kernels::choose_table("auto");
  ThreadPool one(1);
  ThreadPool three(3);
  const double norm = gradient_norm(gradients, kernels, one);
  EXPECT_EQ(norm, gradient_norm(gradients, kernels, three));
  double expected = 0;
  for (const float g : gradients) expected += double{g} * double{g};
  EXPECT_NEAR(norm, std::sqrt(expected), 1e-9 * norm);
}

TEST(GradientNorm, ShowsAnElementThatIsNotFinite) {
  auto gradients = testing::random_floats(100, 1);
  gradients[50] = std::numeric_limits<float>::quiet_NaN();
  ThreadPool pool(1);
  EXPECT_FALSE(std::isfinite(gradient_norm(gradients, kernels::choose_table("auto"), pool)));
}

TEST(ClipScale, LeavesSmallGradientsAndCutsLargeOnes) {
  EXPECT_EQ(clip_scale(0.5, 1), 1);
  EXPECT_NEAR(clip_scale(4, 1), 0.25, 1e-6);
  EXPECT_EQ(clip_scale(4, 0), 1);
}

}  // namespace
}  // namespace tandem
