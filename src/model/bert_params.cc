#include "model/bert_params.h"

#include <fmt/format.h>

namespace tandem {
namespace {

LinearParams add_linear(ParamTable& table, const std::string& name, std::int64_t out,
                        std::int64_t in) {
  LinearParams params;
  params.weight = table.add(name + ".weight", out, in, WeightDecay::kYes);
  params.bias = table.add(name + ".bias", 1, out, WeightDecay::kNo);
  return params;
}

LayerNormParams add_layer_norm(ParamTable& table, const std::string& name, std::int64_t width) {
  LayerNormParams params;
  params.gamma = table.add(name + ".gamma", 1, width, WeightDecay::kNo);
  params.beta = table.add(name + ".beta", 1, width, WeightDecay::kNo);
  return params;
}

}  // namespace

BertParams add_bert_params(ParamTable& table, const BertConfig& config, std::int64_t outputs) {
  const std::int64_t width = config.hidden_size;
  BertParams params;
  params.family = config.family;
  params.classifier = add_linear(table, "classifier", outputs, width);
  params.pooler = add_linear(table, "pooler", width, width);
  params.layers.resize(static_cast<std::size_t>(config.num_hidden_layers));
  for (std::int64_t l = config.num_hidden_layers - 1; l >= 0; --l) {
    EncoderLayerParams& layer = params.layers[static_cast<std::size_t>(l)];
    const std::string name = fmt::format("layer.{}.", l);
    layer.output_norm = add_layer_norm(table, name + "output_norm", width);
    layer.output = add_linear(table, name + "output", width, config.intermediate_size);
    layer.intermediate = add_linear(table, name + "intermediate", config.intermediate_size, width);
    layer.attention_norm = add_layer_norm(table, name + "attention_norm", width);
    layer.attention_output = add_linear(table, name + "attention_output", width, width);
    layer.qkv = add_linear(table, name + "qkv", 3 * width, width);
  }
  params.embedding_norm = add_layer_norm(table, "embeddings.norm", width);
  if (config.type_vocab_size > 0) {
    params.token_type_embeddings =
        table.add("embeddings.token_type", config.type_vocab_size, width, WeightDecay::kYes);
  }
  params.position_embeddings =
      table.add("embeddings.position", config.max_position_embeddings, width, WeightDecay::kYes);
  params.word_embeddings =
      table.add("embeddings.word", config.vocab_size, width, WeightDecay::kYes);
  return params;
}

std::int64_t embeddings_offset(const ParamTable& table) {
  for (const ParamInfo& param : table.all()) {
    if (param.name.starts_with("embeddings.")) return param.slice.offset;
  }
  return table.floats();
}

}  // namespace tandem
