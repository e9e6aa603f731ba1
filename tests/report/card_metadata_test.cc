#include "report/card_metadata.h"

#include <cmath>

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(YamlText, IsPlainWhereItCannotBeMistaken) {
  EXPECT_EQ(yaml_text("org/bert-base_v1.0"), "org/bert-base_v1.0");
  for (const char* const text :
       {"", "yes", "No", "null", "TRUE", "1.5", "-x", "a b", "a: b", "#x"}) {
    EXPECT_EQ(yaml_text(text), '"' + std::string(text) + '"') << text;
  }
  EXPECT_EQ(yaml_text("a\"\\\n\xc3\xa9\xf0\x9f\x98\x80\xff"),
            "\"a\\\"\\\\\\U0000000A\\U000000E9\\U0001F600\\U0000FFFD\"");
}

TEST(MetricTitle, IsTransformers) {
  EXPECT_EQ(metric_title("matthews_correlation"), "Matthews Correlation");
  EXPECT_EQ(metric_title("f1_mm", "_mm"), "F1");
}

TEST(CardFrontMatter, NamesAveragesUnderOneTag) {
  const CardMetadata metadata{
      .model_name = "labels",
      .base_model = {},
      .language = {},
      .results = {{.dataset = {},
                   .suffix = "",
                   .results = {{"eval_f1_micro", 0.5}, {"eval_f1_macro", 0.25}}}}};
  const std::string text = card_front_matter(metadata);
  EXPECT_NE(text.find("metrics:\n- f1\nmodel-index"), text.npos) << text;
  EXPECT_NE(text.find("    - name: F1 Micro\n      type: f1\n      value: 0.5\n"
                      "    - name: F1 Macro\n      type: f1\n      value: 0.25\n"),
            text.npos)
      << text;
}

TEST(CardFrontMatter, HasTheOrderOfTransformers) {
  const CardMetadata metadata{.model_name = "mrpc",
                              .base_model = "bert-base-cased",
                              .language = "en",
                              .results = {{.dataset = {.name = "GLUE MRPC",
                                                       .type = "glue",
                                                       .config = "mrpc",
                                                       .split = "validation",
                                                       .arguments = "mrpc"},
                                           .suffix = "",
                                           .results = {{"eval_accuracy", 0.84},
                                                       {"eval_f1", 0.885},
                                                       {"eval_combined_score", 0.86},
                                                       {"eval_loss", 0.4},
                                                       {"eval_runtime", 3}}}}};
  EXPECT_EQ(card_front_matter(metadata), R"(---
library_name: transformers
language:
- en
base_model: bert-base-cased
tags:
- generated_from_trainer
- tandem
datasets:
- glue
metrics:
- accuracy
- f1
model-index:
- name: mrpc
  results:
  - task:
      name: Text Classification
      type: text-classification
    dataset:
      name: "GLUE MRPC"
      type: glue
      config: mrpc
      split: validation
      args: mrpc
    metrics:
    - name: Accuracy
      type: accuracy
      value: 0.84
    - name: F1
      type: f1
      value: 0.885
---
)");
}

TEST(CardFrontMatter, LeavesOutWhatTheHubRefuses) {
  CardMetadata metadata{
      .model_name = "m",
      .base_model = "",
      .language = "",
      .results = {
          {.dataset =
               {.name = "rows.tsv", .type = "unknown", .config = "", .split = "", .arguments = ""},
           .suffix = "",
           .results = {{"eval_pearson", NAN}, {"eval_mse", 1}}}}};
  EXPECT_NE(card_front_matter(metadata).find("results: []\n---\n"), std::string::npos);
  metadata.results[0].results[0].second = 0.5;
  const std::string text = card_front_matter(metadata);
  EXPECT_NE(text.find("type: pearsonr\n      value: 0.5\n"), text.npos) << text;
  EXPECT_EQ(text.find("mse"), text.npos);
  EXPECT_EQ(text.find("datasets:"), text.npos);
  EXPECT_EQ(text.find("language:"), text.npos);
}

TEST(CardFrontMatter, EachValidationSetIsAResult) {
  const CardDataset matched{.name = "GLUE MNLI",
                            .type = "glue",
                            .config = "mnli",
                            .split = "validation_matched",
                            .arguments = "mnli"};
  CardDataset mismatched = matched;
  mismatched.split = "validation_mismatched";
  const std::string text = card_front_matter(
      {.model_name = "m",
       .base_model = "",
       .language = "en",
       .results = {
           {.dataset = matched, .suffix = "", .results = {{"eval_accuracy", 0.5}}},
           {.dataset = mismatched, .suffix = "_mm", .results = {{"eval_accuracy_mm", 0.25}}}}});
  EXPECT_NE(text.find("type: accuracy\n      value: 0.5\n"), text.npos) << text;
  EXPECT_NE(text.find("type: accuracy\n      value: 0.25\n"), text.npos) << text;
  EXPECT_NE(text.find("datasets:\n- glue\nmetrics:\n- accuracy\nmodel-index"), text.npos);
}

}  // namespace
}  // namespace tandem
