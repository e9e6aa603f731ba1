// A tiny BERT in bf16 against PyTorch and transformers in fp32: as close as 8 bits of precision
// allow.
#include <gtest/gtest.h>

#include "model/hf_names.h"
#include "support/bf16_products.h"
#include "support/golden.h"

namespace tandem {
namespace {

using testing::Golden;
using testing::GoldenModel;

const char* const kFile = "tiny_bert_expected.safetensors";

class TinyBertInBf16 : public testing::EitherBf16Products {
 protected:
  const Golden golden{kFile};
  GoldenModel model{testing::golden_path("tiny_bert"),
                    3,
                    2,
                    ProblemKind::kSingleLabel,
                    Precision::kBf16,
                    products()};
};

PackedBatch whole_batch(const TokenDataset& dataset) {
  return pack(dataset, testing::all_examples(dataset));
}

// Each rounding adds a relative error of up to 2^-8. They add up as independent ones over some
// dozens of roundings on the way to a logit, and once more on the way back.
constexpr double kForward = 0.01, kBackward = 0.03;

double relative_difference(std::span<const float> actual, std::span<const float> expected) {
  std::vector<float> difference(expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) difference[i] = actual[i] - expected[i];
  return testing::norm_of(difference) / testing::norm_of(expected);
}

TEST_P(TinyBertInBf16, LogitsAreCloseToTheReferencesButNotThose) {
  const std::vector<float> logits = model.logits(whole_batch(golden.dataset()));
  const double difference = relative_difference(logits, golden.values("logits"));
  EXPECT_LT(difference, kForward);
  EXPECT_GT(difference, 1e-5) << "it isn't fp32";
}

TEST_P(TinyBertInBf16, LossAndEveryGradientAreCloseToTheReferences) {
  EXPECT_NEAR(model.loss_and_gradients(whole_batch(golden.dataset())), golden.value("loss"), 0.01);
  const double whole = testing::norm_of(model.gradients);
  EXPECT_NEAR(whole, golden.value("grad_norm"), kBackward * golden.value("grad_norm"));
  for (const HfTensor& tensor : hf_tensors(model.loaded.params)) {
    const std::vector<float> expected = golden.values("grad." + tensor.name);
    const std::span<const float> actual = model.gradient(tensor.slice);
    // A key bias has no gradient but what rounding leaves of it.
    if (testing::norm_of(expected) < 1e-4 * whole) {
      EXPECT_LT(testing::norm_of(actual), 5e-3 * whole) << tensor.name;
    } else {
      EXPECT_LT(relative_difference(actual, expected), kBackward) << tensor.name;
    }
  }
}

TEST_P(TinyBertInBf16, TwentyTrainingStepsFollowTheReferences) {
  const Schedule schedule{.peak = 5e-4, .warmup_steps = 4, .total_steps = 20};
  const testing::TrainingCurve curve = testing::train_as_golden(model, golden, schedule, 0.01);
  const std::vector<float> losses = golden.values("losses");
  for (std::size_t step = 0; step < losses.size(); ++step) {
    EXPECT_NEAR(curve.losses[step], losses[step], 0.005 * losses[step]) << "step " << step;
  }
}

// The copy that products read is what the weights round to, after every update, and ends where the
// embeddings begin.
TEST_P(TinyBertInBf16, UpdatesTheRoundedWeightsTogetherWithTheWeights) {
  const std::vector<BFloat16> before = model.bf16_weights;
  testing::train_as_golden(model, golden, {.peak = 5e-3, .warmup_steps = 0, .total_steps = 2}, 0);
  EXPECT_NE(model.bf16_weights, before);
  EXPECT_EQ(std::ssize(before), model.loaded.params.embedding_norm.gamma.offset);
  EXPECT_EQ(model.bf16_weights, make_bf16_weights(model.classifier, model.loaded.table,
                                                  model.loaded.weights, model.compute.pool()));
}

TANDEM_WITH_EITHER_BF16_PRODUCTS(TinyBertInBf16);

}  // namespace
}  // namespace tandem
