#include "model/hf_names.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace tandem {
namespace {

BertConfig tiny_config() {
  return {.vocab_size = 11,
          .hidden_size = 8,
          .num_hidden_layers = 2,
          .num_attention_heads = 2,
          .intermediate_size = 12,
          .max_position_embeddings = 6};
}

TEST(HfNames, ListsEveryTensorOfBertForSequenceClassification) {
  ParamTable table;
  const std::vector<HfTensor> tensors = hf_tensors(add_bert_params(table, tiny_config(), 3));
  // 5 of the embeddings, 16 of each layer, 2 of the pooler and 2 of the head, as state_dict() of
  // transformers' model has.
  ASSERT_EQ(tensors.size(), 5U + 2 * 16 + 2 + 2);
  std::set<std::string> names;
  for (const HfTensor& tensor : tensors) names.insert(tensor.name);
  EXPECT_EQ(names.size(), tensors.size());
  for (const char* name :
       {"bert.embeddings.word_embeddings.weight", "bert.embeddings.position_embeddings.weight",
        "bert.embeddings.token_type_embeddings.weight", "bert.embeddings.LayerNorm.weight",
        "bert.encoder.layer.1.attention.self.query.weight",
        "bert.encoder.layer.1.attention.self.key.bias",
        "bert.encoder.layer.1.attention.self.value.weight",
        "bert.encoder.layer.1.attention.output.dense.weight",
        "bert.encoder.layer.1.attention.output.LayerNorm.bias",
        "bert.encoder.layer.0.intermediate.dense.weight", "bert.encoder.layer.0.output.dense.bias",
        "bert.encoder.layer.0.output.LayerNorm.weight", "bert.pooler.dense.weight",
        "classifier.weight", "classifier.bias"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

TEST(HfNames, TensorsCoverEveryParameterExactlyOnce) {
  ParamTable table;
  const std::vector<HfTensor> tensors = hf_tensors(add_bert_params(table, tiny_config(), 3));
  std::vector<int> covered(static_cast<std::size_t>(table.floats()));
  for (const HfTensor& tensor : tensors) {
    std::int64_t elements = 1;
    for (const std::int64_t dimension : tensor.shape) elements *= dimension;
    EXPECT_EQ(elements, tensor.slice.size()) << tensor.name;
    for (std::int64_t i = 0; i < elements; ++i) {
      ++covered[static_cast<std::size_t>(tensor.slice.offset + i)];
    }
  }
  for (const ParamInfo& parameter : table.all()) {
    for (std::int64_t i = 0; i < parameter.slice.size(); ++i) {
      ASSERT_EQ(covered[static_cast<std::size_t>(parameter.slice.offset + i)], 1) << parameter.name;
    }
  }
}

TEST(HfNames, ListsEveryTensorOfDistilBertForSequenceClassification) {
  ParamTable table;
  BertConfig config = tiny_config();
  config.family = ModelFamily::kDistilBert;
  config.type_vocab_size = 0;
  const std::vector<HfTensor> tensors = hf_tensors(add_bert_params(table, config, 3));
  // 4 of the embeddings, 16 of each layer, 4 of the head.
  ASSERT_EQ(tensors.size(), 4U + 2 * 16 + 4);
  std::set<std::string> names;
  for (const HfTensor& tensor : tensors) names.insert(tensor.name);
  for (const char* name :
       {"distilbert.embeddings.word_embeddings.weight", "distilbert.embeddings.LayerNorm.bias",
        "distilbert.transformer.layer.1.attention.q_lin.weight",
        "distilbert.transformer.layer.1.attention.k_lin.bias",
        "distilbert.transformer.layer.0.attention.v_lin.weight",
        "distilbert.transformer.layer.0.attention.out_lin.bias",
        "distilbert.transformer.layer.0.sa_layer_norm.weight",
        "distilbert.transformer.layer.0.ffn.lin1.weight",
        "distilbert.transformer.layer.1.ffn.lin2.weight",
        "distilbert.transformer.layer.1.output_layer_norm.bias", "pre_classifier.weight",
        "pre_classifier.bias", "classifier.weight", "classifier.bias"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

TEST(HfNames, ResolvesThePrefixAndLegacyNames) {
  const auto parameter = [](std::string_view name, ModelFamily family = ModelFamily::kBert) {
    const HfName resolved = resolve_hf_name(name, family);
    EXPECT_EQ(resolved.kind, HfNameKind::kParameter) << name;
    return resolved.name;
  };
  EXPECT_EQ(parameter("embeddings.LayerNorm.gamma"), "bert.embeddings.LayerNorm.weight");
  EXPECT_EQ(parameter("bert.encoder.layer.3.output.LayerNorm.beta"),
            "bert.encoder.layer.3.output.LayerNorm.bias");
  EXPECT_EQ(parameter("pooler.dense.bias"), "bert.pooler.dense.bias");
  EXPECT_EQ(parameter("classifier.weight"), "classifier.weight");
  EXPECT_EQ(parameter("something.gamma"), "something.gamma");
  EXPECT_EQ(parameter("transformer.layer.0.ffn.lin1.bias", ModelFamily::kDistilBert),
            "distilbert.transformer.layer.0.ffn.lin1.bias");
  EXPECT_EQ(parameter("pre_classifier.bias", ModelFamily::kDistilBert), "pre_classifier.bias");
}

TEST(HfNames, KnowsWhatToIgnore) {
  const auto kind = [](std::string_view name, ModelFamily family = ModelFamily::kBert) {
    return resolve_hf_name(name, family).kind;
  };
  EXPECT_EQ(kind("cls.predictions.transform.LayerNorm.gamma"), HfNameKind::kPretrainingHead);
  EXPECT_EQ(kind("cls.seq_relationship.bias"), HfNameKind::kPretrainingHead);
  EXPECT_EQ(kind("bert.embeddings.position_ids"), HfNameKind::kBuffer);
  EXPECT_EQ(kind("embeddings.position_ids"), HfNameKind::kBuffer);
  EXPECT_EQ(kind("qa_outputs.weight"), HfNameKind::kOtherHead);
  for (const char* name :
       {"vocab_transform.weight", "vocab_layer_norm.bias", "vocab_projector.bias"}) {
    EXPECT_EQ(kind(name, ModelFamily::kDistilBert), HfNameKind::kPretrainingHead) << name;
    EXPECT_EQ(kind(name), HfNameKind::kParameter) << name;
  }
}

}  // namespace
}  // namespace tandem
