#include "optim/adamw.h"

#include <cmath>

#include <gtest/gtest.h>

#include "kernels/dispatch.h"

namespace tandem {
namespace {

// Two parameters, one decayed and one not, with an alignment gap between them.
TEST(AdamW, DecaysOnlyWhatShouldBeDecayedAndCorrectsTheBias) {
  ParamTable table;
  const ParamSlice weight = table.add("weight", 1, 3, WeightDecay::kYes);
  const ParamSlice bias = table.add("bias", 1, 2, WeightDecay::kNo);
  std::vector<float> weights(static_cast<std::size_t>(table.floats()), 1.0F);
  std::vector<float> gradients(weights.size(), 0.25F);
  std::vector<float> moment1(weights.size());
  std::vector<float> moment2(weights.size());
  ThreadPool pool(2);
  adamw_update(table, {weights, gradients, moment1, moment2}, {.weight_decay = 0.1},
               {.update = 1, .learning_rate = 0.01, .gradient_scale = 1},
               kernels::choose_table("auto"), pool);
  // After bias correction the first step is the learning rate times the gradient's sign.
  EXPECT_NEAR(weights[static_cast<std::size_t>(weight.offset)], 1 - 0.01 * 0.1 - 0.01, 1e-6);
  EXPECT_NEAR(weights[static_cast<std::size_t>(bias.offset)], 1 - 0.01, 1e-6);
  EXPECT_NEAR(moment1[0], 0.025, 1e-7);
  EXPECT_NEAR(moment2[0], 0.0000625, 1e-9);
  EXPECT_EQ(weights[3], 1.0F) << "the gap between parameters is left alone";
}

}  // namespace
}  // namespace tandem
