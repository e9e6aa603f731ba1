#include "model/presets.h"

#include <array>

#include "base/error.h"

namespace tandem {
namespace {

constexpr std::array<std::string_view, 5> kNames{"bert-base-cased", "bert-base-uncased",
                                                 "bert-large-cased", "distilbert-base-uncased",
                                                 "minilm-l6"};
// Everything else is as in BertConfig's defaults, which are bert-base-uncased's.
constexpr BertConfig kBertBaseUncased;
constexpr BertConfig kBertBaseCased{.vocab_size = 28996};
constexpr BertConfig kBertLargeCased{.vocab_size = 28996,
                                     .hidden_size = 1024,
                                     .num_hidden_layers = 24,
                                     .num_attention_heads = 16,
                                     .intermediate_size = 4096};
constexpr BertConfig kMiniLmL6{.hidden_size = 384,
                               .num_hidden_layers = 6,
                               .num_attention_heads = 12,
                               .intermediate_size = 1536};
constexpr BertConfig kDistilBertBaseUncased{.family = ModelFamily::kDistilBert,
                                            .num_hidden_layers = 6,
                                            .type_vocab_size = 0,
                                            .classifier_dropout = 0.2F};
constexpr std::array<const BertConfig*, 5> kConfigs{
    &kBertBaseCased, &kBertBaseUncased, &kBertLargeCased, &kDistilBertBaseUncased, &kMiniLmL6};

}  // namespace

std::span<const std::string_view> preset_names() { return kNames; }

HfConfig preset_config(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] != name) continue;
    HfConfig config;
    config.bert = *kConfigs[i];
    return config;
  }
  throw UsageError("--preset {}: unknown; there are {}", name, fmt::join(kNames, ", "));
}

}  // namespace tandem
