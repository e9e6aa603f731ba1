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

TEST(AdamW, RoundsTheFirstParametersWhoseCopyItIsGiven) {
  ParamTable table;
  table.add("weight", 3, 7, WeightDecay::kYes);
  const ParamSlice embeddings = table.add("embeddings", 5, 7, WeightDecay::kYes);
  std::vector<float> weights(static_cast<std::size_t>(table.floats()), 1.0F);
  std::vector<float> gradients(weights.size(), 0.25F);
  std::vector<float> moment1(weights.size());
  std::vector<float> moment2(weights.size());
  std::vector<BFloat16> copy(weights.size());
  const auto multiplied = static_cast<std::size_t>(embeddings.offset);
  ThreadPool pool(2);
  adamw_update(table, {weights, gradients, moment1, moment2, std::span(copy).first(multiplied)}, {},
               {.update = 1, .learning_rate = 0.01, .gradient_scale = 1},
               kernels::choose_table("auto"), pool);
  for (std::size_t i = 0; i < copy.size(); ++i) {
    const bool in_a_gap = i >= 21 && i < multiplied;
    const BFloat16 expected =
        i >= multiplied || in_a_gap ? BFloat16{} : round_to<BFloat16>(weights[i]);
    ASSERT_EQ(copy[i], expected) << i;
  }
  EXPECT_LT(weights[multiplied], 1.0F) << "beyond the copy weights are updated as well";
}

}  // namespace
}  // namespace tandem
