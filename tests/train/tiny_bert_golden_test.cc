// A tiny BERT, and a tiny DistilBERT, against PyTorch and transformers: logits, every gradient,
// twenty training steps.
#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/hf_names.h"
#include "support/golden.h"

namespace tandem {
namespace {

using testing::Golden;
using testing::GoldenModel;

const char* const kFile = "tiny_bert_expected.safetensors";

PackedBatch whole_batch(const TokenDataset& dataset) {
  return pack(dataset, testing::all_examples(dataset));
}

// Within 1e-4 of the tensor's own norm plus 1e-7 of the whole gradient's: a key bias has none.
void expect_gradients(const GoldenModel& model, const Golden& golden, const std::string& prefix,
                      const std::vector<std::string>& only = {}) {
  const double whole = testing::norm_of(model.gradients);
  for (const HfTensor& tensor : hf_tensors(model.loaded.params)) {
    if (!only.empty() && std::ranges::find(only, tensor.name) == only.end()) continue;
    const std::vector<float> expected = golden.values(prefix + tensor.name);
    const std::span<const float> actual = model.gradient(tensor.slice);
    ASSERT_EQ(actual.size(), expected.size()) << tensor.name;
    std::vector<float> difference(expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) difference[i] = actual[i] - expected[i];
    EXPECT_LE(testing::norm_of(difference), 1e-4 * testing::norm_of(expected) + 1e-7 * whole)
        << tensor.name;
  }
}

class TinyModel : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Families, TinyModel, ::testing::Values("tiny_bert", "tiny_distilbert"));

TEST_P(TinyModel, LogitsMatchTheReference) {
  const Golden golden(fmt::format("{}_expected.safetensors", GetParam()));
  GoldenModel model(testing::golden_path(GetParam()), 3);
  const std::vector<float> expected = golden.values("logits");
  const std::vector<float> actual = model.logits(whole_batch(golden.dataset()));
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-5);
}

TEST_P(TinyModel, LossAndEveryGradientMatchTheReference) {
  const Golden golden(fmt::format("{}_expected.safetensors", GetParam()));
  GoldenModel model(testing::golden_path(GetParam()), 3);
  const double loss = model.loss_and_gradients(whole_batch(golden.dataset()));
  EXPECT_NEAR(loss, golden.value("loss"), 1e-5);
  EXPECT_NEAR(testing::norm_of(model.gradients), golden.value("grad_norm"),
              1e-4 * golden.value("grad_norm"));
  expect_gradients(model, golden, "grad.");
}

TEST(TinyBert, RegressionMatchesTheReference) {
  const Golden golden(kFile);
  GoldenModel model(testing::golden_path("tiny_bert"), 1, 2, ProblemKind::kRegression);
  model.set_head(golden.values("regression.classifier.weight"),
                 golden.values("regression.classifier.bias"));
  const PackedBatch batch = whole_batch(golden.dataset("regression.labels"));
  const std::vector<float> expected = golden.values("regression.logits");
  const std::vector<float> actual = model.logits(batch);
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-5);
  EXPECT_NEAR(model.loss_and_gradients(batch), golden.value("regression.loss"), 1e-5);
  expect_gradients(model, golden, "regression.grad.",
                   {"classifier.weight", "classifier.bias", "bert.pooler.dense.weight",
                    "bert.encoder.layer.0.attention.self.query.weight",
                    "bert.embeddings.word_embeddings.weight"});
}

TEST(TinyBert, TwentyTrainingStepsMatchTheReference) {
  const Golden golden(kFile);
  GoldenModel model(testing::golden_path("tiny_bert"), 3);
  const Schedule schedule{.peak = 5e-4, .warmup_steps = 4, .total_steps = 20};
  const testing::TrainingCurve curve = testing::train_as_golden(model, golden, schedule, 0.01);
  const std::vector<float> losses = golden.values("losses");
  const std::vector<float> norms = golden.values("grad_norms");
  const std::vector<float> rates = golden.values("learning_rates");
  for (std::size_t step = 0; step < losses.size(); ++step) {
    EXPECT_NEAR(curve.losses[step], losses[step], 1e-4) << "step " << step;
    EXPECT_NEAR(curve.norms[step], norms[step], 1e-3 * norms[step]) << "step " << step;
    EXPECT_NEAR(schedule.at(static_cast<std::int64_t>(step)), rates[step], 1e-9);
  }
}

TEST(TinyBert, APackedBatchGivesWhatItsSequencesGiveOneByOne) {
  const Golden golden(kFile);
  const TokenDataset dataset = golden.dataset();
  GoldenModel model(testing::golden_path("tiny_bert"), 3);
  const std::vector<float> together = model.logits(whole_batch(dataset));
  for (std::uint32_t b = 0; b < 6; ++b) {
    const std::vector<float> alone = model.logits(pack(dataset, std::span(&b, 1)));
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(alone[k], together[b * 3 + k], 1e-5);
  }
}

TEST(TinyBert, GradientsBecomeFinalInTheOrderOfTheFlatArray) {
  const Golden golden(kFile);
  GoldenModel model(testing::golden_path("tiny_bert"), 3);
  const PackedBatch batch = whole_batch(golden.dataset());
  const TrainingBatch work{.batch = batch, .dropout = {}, .divisor = 6, .accumulate = false};
  const double first = forward_and_backward(model.view, work, Gradients{model.gradients},
                                            model.compute, model.arena, [](std::int64_t) {});
  const std::vector<float> expected = model.gradients;
  std::ranges::fill(model.gradients, 1e9F);
  std::int64_t last = 0;
  const auto check = [&](std::int64_t floats) {
    EXPECT_GT(floats, last);
    for (const ParamInfo& param : model.loaded.table.all()) {
      const std::int64_t end = param.slice.offset + param.slice.size();
      if (end > floats) break;
      for (std::int64_t i = param.slice.offset; i < end; ++i) {
        const auto at = static_cast<std::size_t>(i);
        ASSERT_EQ(model.gradients[at], expected[at]) << param.name << " is not final";
      }
    }
    last = floats;
  };
  const double second = forward_and_backward(model.view, work, Gradients{model.gradients},
                                             model.compute, model.arena, check);
  EXPECT_EQ(first, second);
  const ParamInfo& final_param = model.loaded.table.all().back();
  EXPECT_EQ(last, final_param.slice.offset + final_param.slice.size());
}

}  // namespace
}  // namespace tandem
