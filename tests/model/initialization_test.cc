#include "model/initialization.h"

#include <cmath>

#include <gtest/gtest.h>

#include "model/bert_params.h"
#include "model/presets.h"
#include "support/error_message.h"

namespace tandem {
namespace {

TEST(Initialization, NormalNumbersHaveTheMomentsOfANormalDistribution) {
  std::vector<float> values(1 << 20);
  fill_normal(values, 0.02F, 42, "layer.0.qkv.weight");
  double mean = 0, square = 0, fourth = 0;
  std::size_t beyond_two = 0;
  for (const float value : values) {
    const double z = static_cast<double>(value) / 0.02;
    mean += z;
    square += z * z;
    fourth += z * z * z * z;
    if (std::abs(z) > 2) ++beyond_two;
  }
  const double n = static_cast<double>(values.size());
  // Five standard errors: sqrt(1/n), sqrt(2/n), sqrt(96/n), sqrt(p(1-p)/n) for n = 2^20.
  EXPECT_NEAR(mean / n, 0, 0.005);
  EXPECT_NEAR(square / n, 1, 0.007);
  EXPECT_NEAR(fourth / n, 3, 0.048);
  EXPECT_NEAR(static_cast<double>(beyond_two) / n, 0.0455, 0.0011);
}

TEST(Initialization, AnElementDependsOnSeedNameAndIndexAlone) {
  std::vector<float> first(10), longer(23), other_seed(10), other_name(10);
  fill_normal(first, 1, 42, "a");
  fill_normal(longer, 1, 42, "a");
  fill_normal(other_seed, 1, std::uint64_t{42} + (std::uint64_t{1} << 40), "a");
  fill_normal(other_name, 1, 42, "b");
  EXPECT_TRUE(std::equal(first.begin(), first.end(), longer.begin()));
  EXPECT_NE(first, other_seed);
  EXPECT_NE(first, other_name);
  EXPECT_NE(longer[0], longer[4]);
}

TEST(Initialization, SetsEveryParameterAsTheReferenceDoes) {
  HfConfig config;
  config.bert = {.vocab_size = 11,
                 .hidden_size = 8,
                 .num_hidden_layers = 1,
                 .num_attention_heads = 2,
                 .intermediate_size = 12,
                 .max_position_embeddings = 6};
  config.pad_token_id = 3;
  ParamTable table;
  const BertParams params = add_bert_params(table, config.bert, 2);
  std::vector<float> weights(static_cast<std::size_t>(table.floats()), -9);
  ThreadPool pool(2);
  initialize_parameters(weights, table, initialization_of(config, 1), pool);
  const Weights view{weights};
  const auto all = [&](const ParamSlice& slice, float value) {
    for (const float w : view.vector(slice)) EXPECT_EQ(w, value);
  };
  const auto random = [&](const ParamSlice& slice) {
    double square = 0;
    for (const float w : view.vector(slice))
      square += static_cast<double>(w) * static_cast<double>(w);
    const double deviation = std::sqrt(square / static_cast<double>(slice.size()));
    EXPECT_GT(deviation, 0.008);  // loose: as few as 16 numbers
    EXPECT_LT(deviation, 0.035);
  };
  for (const LinearParams& linear :
       {params.classifier, params.pooler, params.layers[0].qkv, params.layers[0].output,
        params.layers[0].intermediate, params.layers[0].attention_output}) {
    random(linear.weight);
    all(linear.bias, 0);
  }
  for (const LayerNormParams& norm :
       {params.embedding_norm, params.layers[0].attention_norm, params.layers[0].output_norm}) {
    all(norm.gamma, 1);
    all(norm.beta, 0);
  }
  random(params.word_embeddings);
  random(params.position_embeddings);
  random(params.token_type_embeddings);
  const auto words = view.matrix(params.word_embeddings);
  for (std::int64_t i = 0; i < 8; ++i) EXPECT_EQ(words.row(3)[i], 0.0F);
  EXPECT_NE(words.row(0)[0], 0.0F);
}

TEST(Presets, HaveTheSizesOfTheModelsTheyAreNamedAfter) {
  const auto parameters = [](std::string_view name) {
    ParamTable table;
    add_bert_params(table, preset_config(name).bert, 0);
    std::int64_t sum = 0;
    for (const ParamInfo& parameter : table.all()) sum += parameter.slice.size();
    return sum;
  };
  // BertModel(config).num_parameters() of transformers 5.24.
  EXPECT_EQ(parameters("bert-base-cased"), 108310272);
  EXPECT_EQ(parameters("bert-base-uncased"), 109482240);
  EXPECT_EQ(parameters("bert-large-cased"), 333579264);
  EXPECT_EQ(parameters("minilm-l6"), 22713216);
  // DistilBertModel's 66,362,880, and pre_classifier.
  EXPECT_EQ(parameters("distilbert-base-uncased"), 66362880 + 768 * 769);
  EXPECT_EQ(preset_names().size(), 5U);
  const auto failure = testing::failure_of([] { preset_config("bert"); });
  EXPECT_EQ(failure.code, ExitCode::kUsage);
  EXPECT_EQ(failure.message,
            "--preset bert: unknown; there are bert-base-cased, bert-base-uncased, "
            "bert-large-cased, distilbert-base-uncased, minilm-l6");
}

}  // namespace
}  // namespace tandem
