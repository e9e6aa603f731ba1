#include "model/hf_config.h"

#include <gtest/gtest.h>

#include "support/error_message.h"

namespace tandem {
namespace {

using testing::failure_of;
using Labels = std::vector<std::string>;

HfConfig parse(std::string_view text) { return parse_hf_config(text, "config.json"); }

// What is said of {"model_type": "bert", <members>}.
std::string failure(std::string_view members) {
  const auto result =
      failure_of([&] { parse(fmt::format(R"({{"model_type": "bert", {}}})", members)); });
  EXPECT_EQ(result.code, ExitCode::kModel) << members;
  return result.message;
}

TEST(HfConfig, ReadsWhatTransformersWrites) {
  const HfConfig config = parse(R"({
    "architectures": ["BertForMaskedLM"], "attention_probs_dropout_prob": 0.2,
    "gradient_checkpointing": false, "hidden_act": "gelu", "hidden_dropout_prob": 0.3,
    "hidden_size": 384, "initializer_range": 0.05, "intermediate_size": 1536,
    "layer_norm_eps": 1e-05, "max_position_embeddings": 256, "model_type": "bert",
    "num_attention_heads": 12, "num_hidden_layers": 6, "pad_token_id": 1,
    "position_embedding_type": "absolute", "type_vocab_size": 3, "vocab_size": 1000})");
  EXPECT_EQ(config.architecture, "BertForMaskedLM");
  EXPECT_EQ(config.bert.vocab_size, 1000);
  EXPECT_EQ(config.bert.hidden_size, 384);
  EXPECT_EQ(config.bert.num_hidden_layers, 6);
  EXPECT_EQ(config.bert.num_attention_heads, 12);
  EXPECT_EQ(config.bert.intermediate_size, 1536);
  EXPECT_EQ(config.bert.max_position_embeddings, 256);
  EXPECT_EQ(config.bert.type_vocab_size, 3);
  EXPECT_EQ(config.bert.layer_norm_eps, 1e-5F);
  EXPECT_EQ(config.bert.initializer_range, 0.05F);
  EXPECT_EQ(config.bert.hidden_dropout_prob, 0.3F);
  EXPECT_EQ(config.bert.attention_probs_dropout_prob, 0.2F);
  EXPECT_EQ(config.bert.classifier_dropout, 0.3F);  // as hidden_dropout_prob
  EXPECT_EQ(config.pad_token_id, 1);
  EXPECT_TRUE(config.labels.empty());
}

TEST(HfConfig, HasTheReferencesDefaults) {
  const HfConfig config = parse(R"({"model_type": "bert", "classifier_dropout": 0})");
  EXPECT_EQ(config.bert.vocab_size, 30522);
  EXPECT_EQ(config.bert.layer_norm_eps, 1e-12F);
  EXPECT_EQ(config.bert.classifier_dropout, 0.0F);
  EXPECT_EQ(config.pad_token_id, 0);
  EXPECT_FALSE(parse(R"({"model_type": "bert", "pad_token_id": null})").pad_token_id.has_value());
  EXPECT_EQ(parse(R"({"architectures": ["BertModel"]})").architecture, "BertModel");
}

TEST(HfConfig, ReadsDistilBert) {
  const HfConfig config =
      parse(R"({"activation": "gelu", "architectures": ["DistilBertForMaskedLM"],
    "attention_dropout": 0.3, "dim": 384, "dropout": 0.15, "hidden_dim": 1536, "model_type":
    "distilbert", "n_heads": 12, "n_layers": 3, "sinusoidal_pos_embds": false, "vocab_size": 1000})");
  EXPECT_EQ(config.bert.family, ModelFamily::kDistilBert);
  EXPECT_EQ(config.bert.hidden_size, 384);
  EXPECT_EQ(config.bert.intermediate_size, 1536);
  EXPECT_EQ(config.bert.num_hidden_layers, 3);
  EXPECT_EQ(config.bert.type_vocab_size, 0);
  EXPECT_EQ(config.bert.hidden_dropout_prob, 0.15F);
  EXPECT_EQ(config.bert.attention_output_dropout_prob(), 0.0F);
  EXPECT_EQ(config.bert.attention_probs_dropout_prob, 0.3F);
  EXPECT_EQ(config.bert.classifier_dropout, 0.2F);
  EXPECT_TRUE(config.labels.empty());
  EXPECT_FALSE(config.classifies_sequences());
  EXPECT_EQ(parse(R"({"model_type": "distilbert"})").bert.num_hidden_layers, 6);
  EXPECT_EQ(failure_of([] { parse(R"({"model_type": "distilbert", "n_heads": 7})"); }).message,
            "config.json: dim 768 is not a multiple of n_heads 7");
  EXPECT_EQ(
      failure_of([] { parse(R"({"model_type": "distilbert", "activation": "relu"})"); }).message,
      "config.json: activation: expected \"gelu\", the only one supported, found \"relu\"");
}

TEST(HfConfig, WritesDistilBertAsItWasRead) {
  HfConfig config = parse(R"({"model_type": "distilbert", "dim": 384, "seq_classif_dropout": 0.3,
    "tie_weights_": true})");
  set_label_scheme(config, {.names = {"no", "yes"}});
  const std::string text = hf_config_text(config);
  for (const char* line :
       {"\"DistilBertForSequenceClassification\"", "\"dim\": 384", "\"n_layers\": 6",
        "\"seq_classif_dropout\": 0.3", "\"activation\": \"gelu\"",
        "\"model_type\": \"distilbert\"", "\"tie_weights_\": true"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << " in " << text;
  }
  for (const char* key : {"hidden_size", "layer_norm_eps", "type_vocab_size", "hidden_act"}) {
    EXPECT_EQ(text.find(key), std::string::npos) << key;
  }
  EXPECT_EQ(parse(text).labels, (Labels{"no", "yes"}));
}

TEST(HfConfig, NamesTheKeyOfWhatItCannotUse) {
  EXPECT_EQ(failure_of([] { parse(R"({"model_type": "roberta"})"); }).message,
            "config.json: model_type: \"roberta\" is not supported; supported: \"bert\" and "
            "\"distilbert\"");
  EXPECT_EQ(failure_of([] { parse(R"({"architectures": ["GPT2Model"]})"); }).message,
            "config.json: model_type is missing; supported: \"bert\" and \"distilbert\"");
  EXPECT_EQ(failure_of([] { parse("[]"); }).message,
            "config.json: expected an object, found an array");
  EXPECT_EQ(failure(R"("hidden_act": "gelu_new")"),
            "config.json: hidden_act: expected \"gelu\", the only one supported, found "
            "\"gelu_new\"");
  EXPECT_EQ(failure(R"("position_embedding_type": "relative_key")"),
            "config.json: position_embedding_type: expected \"absolute\", the only one supported, "
            "found \"relative_key\"");
  EXPECT_EQ(failure(R"("is_decoder": true)"), "config.json: is_decoder: true is not supported");
  EXPECT_EQ(failure(R"("add_cross_attention": true)"),
            "config.json: add_cross_attention: true is not supported");
  EXPECT_EQ(failure(R"("pruned_heads": {"0": [1]})"),
            "config.json: pruned_heads: pruned heads are not supported");
  EXPECT_EQ(failure(R"("quantization_config": {})"),
            "config.json: quantization_config: weights quantised in this way are not supported; "
            "supported: compressed-tensors' int-quantized with 8 bits, symmetric, a scale for each "
            "channel and token, as `tandem quantize` writes it");
  EXPECT_EQ(failure(R"("auto_map": {})"),
            "config.json: auto_map: a model that brings its own Python code is not supported");
}

TEST(HfConfig, ChecksTheRangeOfEveryNumber) {
  EXPECT_EQ(failure(R"("hidden_size": "768")"),
            "config.json: hidden_size: expected a whole number from 1 to 65536, found \"768\"");
  EXPECT_EQ(failure(R"("hidden_size": 65537)"),
            "config.json: hidden_size: expected a whole number from 1 to 65536, found 65537");
  EXPECT_EQ(failure(R"("num_hidden_layers": 0)"),
            "config.json: num_hidden_layers: expected a whole number from 1 to 1024, found 0");
  EXPECT_EQ(failure(R"("vocab_size": 99999999999)"),
            "config.json: vocab_size: expected a whole number from 1 to 10000000, found "
            "99999999999");
  EXPECT_EQ(failure(R"("num_attention_heads": 7)"),
            "config.json: hidden_size 768 is not a multiple of num_attention_heads 7");
  EXPECT_EQ(failure(R"("hidden_dropout_prob": 1.0)"),
            "config.json: hidden_dropout_prob: expected a number from 0 to below 1, found 1.0");
  EXPECT_EQ(failure(R"("layer_norm_eps": 0)"),
            "config.json: layer_norm_eps: expected a number from 1e-30 to 1, found 0");
  EXPECT_EQ(failure(R"("pad_token_id": 30522)"),
            "config.json: pad_token_id: expected a whole number from 0 to 30521, found 30522");
}

TEST(HfConfig, ReadsLabels) {
  const auto labels = [](std::string_view members) {
    return parse(
               fmt::format(
                   R"({{"model_type": "bert", "architectures": ["BertForSequenceClassification"]{}}})",
                   members))
        .labels;
  };
  EXPECT_EQ(labels(""), (Labels{"LABEL_0", "LABEL_1"}));
  EXPECT_EQ(labels(R"(, "num_labels": 3)"), (Labels{"LABEL_0", "LABEL_1", "LABEL_2"}));
  EXPECT_EQ(labels(R"(, "id2label": {"1": "b", "0": "a"}, "label2id": {"a": 0, "b": 1})"),
            (Labels{"a", "b"}));
  EXPECT_EQ(labels(R"(, "label2id": {"a": 1, "b": 0})"), (Labels{"b", "a"}));
  // Another task's names are not classes of texts.
  EXPECT_TRUE(parse(R"({"model_type": "bert", "architectures": ["BertForTokenClassification"],
                        "id2label": {"0": "O", "1": "B-PER"}})")
                  .labels.empty());
}

TEST(HfConfig, RefusesLabelsThatAreNotAList) {
  EXPECT_EQ(failure(R"("id2label": {"0": "a", "2": "b"})"),
            "config.json: id2label: expected ids from 0 to 1, found \"2\"");
  EXPECT_EQ(failure(R"("id2label": {"0": "a", "01": "b"})"),
            "config.json: id2label: expected ids from 0 to 1, found \"01\"");
  EXPECT_EQ(failure(R"("id2label": {"0": "a", "1": "a"})"),
            "config.json: id2label: the label \"a\" occurs twice");
  EXPECT_EQ(failure(R"("id2label": {"0": 7})"),
            "config.json: id2label.0: expected a string, found 7");
  EXPECT_EQ(failure(R"("label2id": {"a": 0, "b": 0})"),
            "config.json: label2id.b: id 0 occurs twice");
  EXPECT_EQ(failure(R"("problem_type": "ranking")"),
            "config.json: problem_type: expected \"regression\" or \"single_label_classification\" "
            "or \"multi_label_classification\", found \"ranking\"");
  EXPECT_EQ(failure(R"("problem_type": "single_label_classification", "id2label": {"0": "a"})"),
            "config.json: problem_type: single_label_classification needs 2 labels or more, found "
            "1");
}

TEST(HfConfig, TranslatesLabelsForTheData) {
  HfConfig config = parse(R"({"model_type": "bert"})");
  EXPECT_EQ(
      failure_of([&] { label_scheme(config); }).message,
      "config.json: has no labels: the model has not been fine-tuned yet; `tandem train` does "
      "that");
  set_label_scheme(config, {.names = {"no", "yes"}});
  EXPECT_EQ(label_scheme(config).names, (Labels{"no", "yes"}));
  EXPECT_EQ(config.problem_type, "single_label_classification");
  set_label_scheme(config, {.kind = ProblemKind::kRegression, .names = {}});
  EXPECT_EQ(label_scheme(config).kind, ProblemKind::kRegression);
  EXPECT_EQ(label_scheme(config).outputs(), 1);
  config = parse(R"({"model_type": "bert", "problem_type": "multi_label_classification",
                     "id2label": {"0": "a", "1": "b"}})");
  EXPECT_EQ(label_scheme(config).kind, ProblemKind::kMultiLabel);
  EXPECT_EQ(label_scheme(config).names, (std::vector<std::string>{"a", "b"}));
  set_label_scheme(config, label_scheme(config));
  EXPECT_EQ(config.problem_type, "multi_label_classification");
  config = parse(R"({"model_type": "bert", "problem_type": "regression",
                     "id2label": {"0": "a", "1": "b"}})");
  EXPECT_EQ(failure_of([&] { label_scheme(config); }).message,
            "config.json: problem_type: regression with 2 labels is not supported; supported: "
            "regression with 1, single_label_classification, multi_label_classification");
}

TEST(HfConfig, WritesWhatTransformersReads) {
  HfConfig config = parse(R"({"model_type": "bert", "_name_or_path": "someone/model",
    "num_labels": 3, "torch_dtype": "float16", "use_cache": true, "layer_norm_eps": 1e-12,
    "my_key": {"a": [1.5]}, "finetuning_task": "mnli", "vocab_size": 28996})");
  set_label_scheme(config, {.names = {"no", "yes"}});
  EXPECT_EQ(hf_config_text(config), R"({
  "architectures": [
    "BertForSequenceClassification"
  ],
  "attention_probs_dropout_prob": 0.1,
  "classifier_dropout": null,
  "dtype": "float32",
  "hidden_act": "gelu",
  "hidden_dropout_prob": 0.1,
  "hidden_size": 768,
  "id2label": {
    "0": "no",
    "1": "yes"
  },
  "initializer_range": 0.02,
  "intermediate_size": 3072,
  "label2id": {
    "no": 0,
    "yes": 1
  },
  "layer_norm_eps": 1e-12,
  "max_position_embeddings": 512,
  "model_type": "bert",
  "my_key": {
    "a": [
      1.5
    ]
  },
  "num_attention_heads": 12,
  "num_hidden_layers": 12,
  "pad_token_id": 0,
  "position_embedding_type": "absolute",
  "problem_type": "single_label_classification",
  "torch_dtype": "float32",
  "type_vocab_size": 2,
  "use_cache": true,
  "vocab_size": 28996
}
)");
  EXPECT_EQ(hf_config_text(parse(hf_config_text(config))), hf_config_text(config));
}

TEST(HfConfig, ComparesTheVocabularyWithTheEmbedding) {
  const BertConfig bert{.vocab_size = 28996};
  check_vocabulary_fits(bert, 28996, "model");
  check_vocabulary_fits(bert, 100, "model");
  const auto result = failure_of([&] { check_vocabulary_fits(bert, 30522, "tokenizer.json"); });
  EXPECT_EQ(result.code, ExitCode::kModel);
  EXPECT_EQ(result.message,
            "tokenizer.json: the vocabulary has 30522 entries, the model's embedding has only "
            "28996 rows (vocab_size in config.json): the tokenizer belongs to another model");
}

}  // namespace
}  // namespace tandem
