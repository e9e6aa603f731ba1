// Results must not depend on the number of threads, at sizes where every kind of work is divided:
// products into several tiles, rows into several blocks, embeddings into several column ranges.
#include <gtest/gtest.h>

#include "support/bf16_products.h"
#include "support/random_model.h"
#include "train/step_benchmark.h"
#include "train/trainer.h"

namespace tandem {
namespace {

BertConfig one_wide_layer() {
  BertConfig config;
  config.vocab_size = 300;
  config.hidden_size = 256;
  config.num_hidden_layers = 1;
  config.num_attention_heads = 4;
  config.intermediate_size = 1100;  // more than a tile's columns
  return config;
}

struct TrainedWeights {
  std::vector<double> losses;
  std::vector<float> weights;
};

// A precision, and who multiplies bf16.
struct Arithmetic {
  Precision precision;
  Bf16Products products;
};

TrainedWeights train(int threads, const Arithmetic& arithmetic) {
  const BertConfig config = one_wide_layer();
  Compute compute(testing::kernels_under_test(), threads, {}, arithmetic.products);
  testing::RandomModel random(config, arithmetic.precision, compute);
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i < 16; ++i) lengths.push_back(20 + i * 11 % 70);
  const TokenDataset dataset = random_dataset(lengths, config.vocab_size);
  Trainer trainer(random.view(), dataset, {.micro_batch_size = 12, .max_steps = 4}, compute);
  trainer.allocate();
  TrainedWeights result;
  for (std::int64_t step = 0; step < 4; ++step) {
    result.losses.push_back(trainer.run_step(step).loss);
  }
  result.weights = random.weights();
  return result;
}

class ThreadIndependence : public ::testing::TestWithParam<Arithmetic> {};

TEST_P(ThreadIndependence, OneTwoAndThreeThreadsTrainTheSameBits) {
  if (!testing::usable(GetParam().products)) GTEST_SKIP() << "oneDNN multiplies no bf16 here";
  const TrainedWeights one = train(1, GetParam());
  const TrainedWeights two = train(2, GetParam());
  const TrainedWeights three = train(3, GetParam());
  EXPECT_EQ(one.losses, two.losses);
  EXPECT_EQ(one.losses, three.losses);
  EXPECT_EQ(one.weights, two.weights);
  EXPECT_EQ(one.weights, three.weights);
}

INSTANTIATE_TEST_SUITE_P(Precisions, ThreadIndependence,
                         ::testing::Values(Arithmetic{Precision::kFp32, Bf16Products::kBest},
                                           Arithmetic{Precision::kBf16, Bf16Products::kWidened},
                                           Arithmetic{Precision::kBf16, Bf16Products::kOneDnn}),
                         [](const auto& arithmetic) {
                           return std::string(name_of(arithmetic.param.precision)) +
                                  testing::name_of(arithmetic.param.products);
                         });

}  // namespace
}  // namespace tandem
