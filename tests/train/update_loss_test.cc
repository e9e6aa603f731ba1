// Losses against PyTorch's, and their parts in an update.
#include "train/update_loss.h"

#include <gtest/gtest.h>

#include "support/golden.h"

namespace tandem {
namespace {

struct Loss {
  double value;
  std::vector<float> d_logits;
};

class UpdateLoss : public ::testing::Test {
 protected:
  UpdateLoss()
      : golden_("losses_expected.safetensors"),
        logits_(golden_.values("logits")),
        weights_(golden_.values("class_weights")) {}

  TokenDataset dataset(const std::string& labels, std::int64_t label_columns) const {
    TokenDataset dataset;
    dataset.labels = golden_.values(labels);
    dataset.label_columns = label_columns;
    dataset.lines.resize(kRows);
    return dataset;
  }

  // Of rows [begin, end), as a part of all.
  Loss loss_of_rows(ProblemKind kind, const TokenDataset& data, const CrossEntropyOptions& options,
                    std::int64_t begin, std::int64_t end) {
    std::vector<std::uint32_t> all(kRows);
    for (std::uint32_t i = 0; i < kRows; ++i) all[i] = i;
    Loss loss{.value = 0,
              .d_logits = std::vector<float>(static_cast<std::size_t>((end - begin) * kClasses))};
    const Matrix<const float> logits{logits_.data() + begin * kClasses, end - begin, kClasses,
                                     kClasses};
    const auto labels = std::span<const float>(data.labels)
                            .subspan(static_cast<std::size_t>(begin * data.label_columns));
    loss.value = loss_of(kind, logits, labels, loss_divisor(kind, data, all, options.class_weights),
                         {loss.d_logits.data(), end - begin, kClasses, kClasses}, options);
    return loss;
  }

  // float32 rounds logits and expectations to 6e-8 of themselves.
  void expect_reference(const std::string& name, ProblemKind kind, const TokenDataset& data,
                        const CrossEntropyOptions& options) {
    const Loss whole = loss_of_rows(kind, data, options, 0, kRows);
    EXPECT_NEAR(whole.value, golden_.value(name + ".loss"), 1e-6) << name;
    const std::vector<float> expected = golden_.values(name + ".d_logits");
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(whole.d_logits[i], expected[i], 1e-7) << name << " " << i;
    }
    const Loss first = loss_of_rows(kind, data, options, 0, 3);
    const Loss second = loss_of_rows(kind, data, options, 3, kRows);
    EXPECT_NEAR(first.value + second.value, whole.value, 1e-12) << name;
    for (std::size_t i = 0; i < second.d_logits.size(); ++i) {
      EXPECT_EQ(second.d_logits[i], whole.d_logits[first.d_logits.size() + i]) << name;
    }
  }

  static constexpr std::int64_t kRows = 7, kClasses = 4;
  testing::Golden golden_;
  std::vector<float> logits_, weights_;
};

TEST_F(UpdateLoss, CrossEntropyIsPyTorchsWithWeightsAndSmoothing) {
  const TokenDataset data = dataset("labels", 1);
  const ProblemKind kind = ProblemKind::kSingleLabel;
  expect_reference("plain", kind, data, {});
  expect_reference("weighted", kind, data, {.class_weights = weights_});
  expect_reference("smoothed", kind, data, {.label_smoothing = 0.1});
  expect_reference("weighted_smoothed", kind, data,
                   {.class_weights = weights_, .label_smoothing = 0.3});
}

TEST_F(UpdateLoss, SeveralLabelsAtOnceArePyTorchsBceWithLogits) {
  expect_reference("several", ProblemKind::kMultiLabel, dataset("several.labels", kClasses), {});
}

TEST_F(UpdateLoss, DividesByExamplesByTheirWeightsOrByAllLabels) {
  const std::vector<std::uint32_t> examples = {0, 1};  // of classes 0 and 3
  const TokenDataset one = dataset("labels", 1);
  EXPECT_EQ(loss_divisor(ProblemKind::kSingleLabel, one, examples, {}), 2);
  EXPECT_EQ(loss_divisor(ProblemKind::kSingleLabel, one, examples, weights_), 4.5);
  EXPECT_EQ(loss_divisor(ProblemKind::kRegression, one, examples, {}), 2);
  const TokenDataset several = dataset("several.labels", kClasses);
  EXPECT_EQ(loss_divisor(ProblemKind::kMultiLabel, several, examples, {}), 8);
}

}  // namespace
}  // namespace tandem
