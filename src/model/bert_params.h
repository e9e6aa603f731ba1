#pragma once
// Where each of a BERT classifier's parameters lies in the flat arrays.

#include <vector>

#include "model/bert_config.h"
#include "nn/linear.h"
#include "nn/params.h"
#include "nn/residual_norm.h"

namespace tandem {

struct EncoderLayerParams {
  LayerNormParams output_norm;
  LinearParams output;        // [C, F]
  LinearParams intermediate;  // [F, C]
  LayerNormParams attention_norm;
  LinearParams attention_output;  // [C, C]
  LinearParams qkv;               // [3C, C]: query's rows, key's, value's
};

struct BertParams {
  ModelFamily family;
  LinearParams classifier;                 // [K, C]
  LinearParams pooler;                     // [C, C]; DistilBERT's pre_classifier
  std::vector<EncoderLayerParams> layers;  // by number; laid out last layer first
  LayerNormParams embedding_norm;
  ParamSlice token_type_embeddings;  // [type_vocab_size, C]; no rows without token types
  ParamSlice position_embeddings;    // [max_position_embeddings, C]
  ParamSlice word_embeddings;        // [V, C]
};

// Adds all parameters to `table`, in the order in which backward completes their gradients.
// `outputs` is K. The names are the table's own: "classifier.weight", "pooler.bias",
// "layer.3.qkv.weight", "embeddings.word", ...
BertParams add_bert_params(ParamTable& table, const BertConfig& config, std::int64_t outputs);

// Where the embeddings begin, in floats: no product reads a parameter from there on.
std::int64_t embeddings_offset(const ParamTable& table);

}  // namespace tandem
