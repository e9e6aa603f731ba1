// MiniLM-L6, real weights and real text, against PyTorch and transformers.
#include <cstdlib>

#include <gtest/gtest.h>

#include "model/hf_names.h"
#include "support/golden.h"

namespace tandem {
namespace {

using testing::Golden;
using testing::GoldenModel;

const char* const kFile = "minilm_expected.safetensors";

// scripts/fetch-quickstart brings the model.
std::filesystem::path minilm_directory() {
  const char* const directory = std::getenv("TANDEM_QUICKSTART_DIR");
  TANDEM_CHECK(directory != nullptr, "TANDEM_QUICKSTART_DIR is not set");
  return std::filesystem::path(directory) / "minilm-l6";
}

double sign(std::uint64_t n) {
  std::uint64_t z = n + 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  z = z ^ (z >> 31);
  return (z >> 63) != 0 ? -1 : 1;
}

TEST(MiniLm, LogitsLossAndGradientsMatchTheReference) {
  const Golden golden(kFile);
  GoldenModel model(minilm_directory(), 2);
  model.set_head(golden.values("classifier.weight"), golden.values("classifier.bias"));
  const TokenDataset dataset = golden.dataset();
  const PackedBatch batch = pack(dataset, testing::all_examples(dataset));
  const std::vector<float> logits = model.logits(batch);
  const std::vector<float> expected = golden.values("logits");
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(logits[i], expected[i], 1e-4);

  EXPECT_NEAR(model.loss_and_gradients(batch), golden.value("loss"), 1e-5);
  const double whole = golden.value("grad_norm");
  for (const HfTensor& tensor : hf_tensors(model.loaded.params)) {
    const std::span<const float> gradient = model.gradient(tensor.slice);
    const double norm = golden.value("grad_norm." + tensor.name);
    // A probe of a difference d is about |d|; four of them rarely all exceed three times that.
    const double tolerance = 1e-4 * norm + 1e-7 * whole;
    EXPECT_NEAR(testing::norm_of(gradient), norm, tolerance) << tensor.name;
    const std::vector<float> probes = golden.values("grad_probe." + tensor.name);
    for (std::size_t k = 0; k < probes.size(); ++k) {
      double probe = 0;
      for (std::size_t i = 0; i < gradient.size(); ++i) {
        probe += sign(4 * i + k) * double{gradient[i]};
      }
      EXPECT_NEAR(probe, probes[k], 3 * tolerance) << tensor.name;
    }
  }
}

TEST(MiniLm, TwentyTrainingStepsMatchTheReference) {
  const Golden golden(kFile);
  GoldenModel model(minilm_directory(), 2);
  model.set_head(golden.values("classifier.weight"), golden.values("classifier.bias"));
  const testing::TrainingCurve curve =
      testing::train_as_golden(model, golden, {.peak = 5e-5, .total_steps = 20}, 0);
  const std::vector<float> losses = golden.values("losses");
  for (std::size_t step = 0; step < losses.size(); ++step) {
    EXPECT_NEAR(curve.losses[step], losses[step], 1e-4) << "step " << step;
  }
}

}  // namespace
}  // namespace tandem
