#pragma once
// The numbers that define a BERT encoder, as config.json has them.

#include <cstdint>

namespace tandem {

// kDistilBert: Sanh et al. 2019, arXiv:1910.01108: no token types, no dropout after attention, and
// a head with ReLU where BERT's pooler has tanh.
enum class ModelFamily : std::uint8_t { kBert, kDistilBert };

// Devlin et al. 2018, arXiv:1810.04805. Defaults are those of transformers' BertConfig.
struct BertConfig {
  ModelFamily family = ModelFamily::kBert;
  std::int64_t vocab_size = 30522;        // V
  std::int64_t hidden_size = 768;         // C
  std::int64_t num_hidden_layers = 12;    // L
  std::int64_t num_attention_heads = 12;  // H, divides C
  std::int64_t intermediate_size = 3072;  // F
  std::int64_t max_position_embeddings = 512;
  std::int64_t type_vocab_size = 2;  // 0: no token types
  float layer_norm_eps = 1e-12F;
  float hidden_dropout_prob = 0.1F;
  float attention_probs_dropout_prob = 0.1F;
  float classifier_dropout = 0.1F;  // config.json's null means hidden_dropout_prob
  float initializer_range = 0.02F;

  float attention_output_dropout_prob() const {
    return family == ModelFamily::kBert ? hidden_dropout_prob : 0;
  }
};

}  // namespace tandem
