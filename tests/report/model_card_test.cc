#include "report/model_card.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

using nlohmann::json;

ModelCard sample_card() {
  return {.metadata = {.model_name = "rate_<my>_texts",
                       .base_model = "",
                       .language = "",
                       .results = {{.dataset = {.name = "rows.tsv",
                                                .type = "unknown",
                                                .config = "",
                                                .split = "validation",
                                                .arguments = ""},
                                    .suffix = "",
                                    .results = {{"eval_accuracy", 0.84314}, {"eval_loss", 0.5}}}}},
          .base = "minilm-l6",
          .hyperparameters = {{"learning_rate", "5e-05"}},
          .log = {{{"step", 2}, {"epoch", 1.0}, {"eval_loss", 0.61234}, {"eval_accuracy", 0.5}},
                  {{"step", 4}, {"epoch", 2.0}, {"loss", 0.7}},
                  {{"step", 4}, {"epoch", 2.0}, {"eval_loss", 0.5}, {"eval_accuracy", 0.84314}},
                  {{"step", 4}, {"epoch", 2.0}, {"train_runtime", 1}},
                  {{"step", 4}, {"epoch", 2.0}, {"eval_loss", 0.1}}},
          .versions = {"Tandem 0.1.0"}};
}

TEST(ModelCard, TellsResultsAndHowTheyCame) {
  const std::string card = model_card(sample_card());
  for (const char* const part :
       {"\n# rate\\_\\<my\\>\\_texts\n\nThis model is a fine-tuned version of minilm-l6 on the "
        "rows.tsv dataset.\nIt achieves the following results on the evaluation set:\n"
        "- Accuracy: 0.8431\n- Loss: 0.5\n",
        "- learning_rate: 5e-05\n",
        "| Training Loss | Epoch | Step | Validation Loss | Accuracy |\n"
        "|:-------------:|:-----:|:----:|:---------------:|:--------:|\n"
        "| No log        | 1.0   | 2    | 0.6123          | 0.5      |\n"
        "| 0.7           | 2.0   | 4    | 0.5             | 0.8431   |\n",
        "### Framework versions\n\n- Tandem 0.1.0\n"}) {
    EXPECT_NE(card.find(part), card.npos) << part << "\nin\n" << card;
  }
}

TEST(ModelCard, AHubModelIsLinked) {
  ModelCard card = sample_card();
  card.metadata.base_model = "org/name";
  EXPECT_NE(model_card(card).find("version of org/name on"), std::string::npos);
}

TEST(ModelCard, WithoutEvaluationsThereIsNoTable) {
  ModelCard card = sample_card();
  card.log.clear();
  card.metadata.results.clear();
  const std::string text = model_card(card);
  EXPECT_EQ(text.find("Training results"), text.npos);
  EXPECT_NE(text.find("on an unknown dataset."), text.npos);
}

TEST(ModelCard, HyperparametersHaveTransformersNames) {
  const json arguments = {{"learning_rate", 5e-5},
                          {"per_device_train_batch_size", 8},
                          {"per_device_eval_batch_size", 8},
                          {"seed", 42},
                          {"gradient_accumulation_steps", 2},
                          {"adam_beta1", 0.9},
                          {"adam_beta2", 0.999},
                          {"adam_epsilon", 1e-8},
                          {"weight_decay", 0.0},
                          {"warmup_steps", 0},
                          {"warmup_ratio", 0.1},
                          {"max_steps", -1},
                          {"num_train_epochs", 3.0}};
  EXPECT_EQ(
      hyperparameters_of(arguments, 2, 32),
      (CardFacts{{"learning_rate", "5e-05"},
                 {"train_batch_size", "8"},
                 {"eval_batch_size", "8"},
                 {"seed", "42"},
                 {"distributed_type", "multi-CPU"},
                 {"num_devices", "2"},
                 {"gradient_accumulation_steps", "2"},
                 {"total_train_batch_size", "32"},
                 {"optimizer", "AdamW with betas=(0.9,0.999), epsilon=1e-08 and weight_decay=0.0"},
                 {"lr_scheduler_type", "linear"},
                 {"lr_scheduler_warmup_ratio", "0.1"},
                 {"num_epochs", "3.0"}}));
}

TEST(ModelCard, HubNamesAreFoundInTheCache) {
  EXPECT_EQ(hub_name_of("/c/hub/models--org--name/snapshots/0123"), "org/name");
  EXPECT_EQ(hub_name_of("/c/hub/models--bert-base-cased/snapshots/0123/"), "bert-base-cased");
  EXPECT_EQ(hub_name_of("/models/mine"), "");
  EXPECT_EQ(hub_name_of("/c/models--a<b>--c/x"), "");
}

}  // namespace
}  // namespace tandem
