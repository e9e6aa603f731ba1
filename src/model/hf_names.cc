#include "model/hf_names.h"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

namespace tandem {
namespace {

constexpr std::string_view kScaleSuffix = "_scale";

// What each family calls the same parts. Names of a layer's parts come after the layer's.
struct FamilyNames {
  std::string_view prefix;  // of everything but the heads
  std::string_view layers;  // a layer's number follows
  std::array<std::string_view, 3> qkv;
  std::string_view attention_output, attention_norm, intermediate, output, output_norm;
  std::string_view pooler;                // its whole name
  std::array<std::string_view, 3> parts;  // what comes after the prefix, which files may lack
  std::array<std::string_view, 3> pretraining_heads;
};

constexpr FamilyNames kBertNames{
    .prefix = "bert.",
    .layers = "encoder.layer.",
    .qkv = {"attention.self.query", "attention.self.key", "attention.self.value"},
    .attention_output = "attention.output.dense",
    .attention_norm = "attention.output.LayerNorm",
    .intermediate = "intermediate.dense",
    .output = "output.dense",
    .output_norm = "output.LayerNorm",
    .pooler = "bert.pooler.dense",
    .parts = {"embeddings.", "encoder.", "pooler."},
    .pretraining_heads = {"cls.", "cls.", "cls."}};

constexpr FamilyNames kDistilBertNames{
    .prefix = "distilbert.",
    .layers = "transformer.layer.",
    .qkv = {"attention.q_lin", "attention.k_lin", "attention.v_lin"},
    .attention_output = "attention.out_lin",
    .attention_norm = "sa_layer_norm",
    .intermediate = "ffn.lin1",
    .output = "ffn.lin2",
    .output_norm = "output_layer_norm",
    .pooler = "pre_classifier",
    .parts = {"embeddings.", "transformer.", "transformer."},
    .pretraining_heads = {"vocab_transform.", "vocab_layer_norm.", "vocab_projector."}};

const FamilyNames& names_of(ModelFamily family) {
  return family == ModelFamily::kBert ? kBertNames : kDistilBertNames;
}

bool starts_with_any(std::string_view name, std::span<const std::string_view> beginnings) {
  return std::ranges::any_of(beginnings,
                             [&](std::string_view begin) { return name.starts_with(begin); });
}

class Lister {
 public:
  void matrix(const std::string& name, const ParamSlice& slice, ModelPart part) {
    tensors.push_back(
        {.name = name, .shape = {slice.rows, slice.cols}, .slice = slice, .part = part});
  }
  void vector(const std::string& name, const ParamSlice& slice, ModelPart part) {
    tensors.push_back({.name = name, .shape = {slice.cols}, .slice = slice, .part = part});
  }
  void linear(const std::string& name, const LinearParams& params, ModelPart part) {
    matrix(name + ".weight", params.weight, part);
    tensors.back().linear_weight = part == ModelPart::kEncoder;
    vector(name + ".bias", params.bias, part);
  }
  void layer_norm(const std::string& name, const LayerNormParams& params) {
    vector(name + ".weight", params.gamma, ModelPart::kEncoder);
    vector(name + ".bias", params.beta, ModelPart::kEncoder);
  }
  // The file has query, key and value apart; they are the thirds of qkv's rows.
  void qkv(const std::string& layer, const std::array<std::string_view, 3>& names,
           const LinearParams& params) {
    const std::int64_t width = params.weight.cols;
    std::int64_t third = 0;
    for (const std::string_view name : names) {
      const LinearParams rows{
          .weight = {.offset = params.weight.offset + third * width * width,
                     .rows = width,
                     .cols = width},
          .bias = {.offset = params.bias.offset + third * width, .rows = 1, .cols = width}};
      linear(layer + std::string(name), rows, ModelPart::kEncoder);
      ++third;
    }
  }

  std::vector<HfTensor> tensors;
};

}  // namespace

std::vector<HfTensor> hf_tensors(const BertParams& params) {
  constexpr ModelPart kEncoder = ModelPart::kEncoder;
  const FamilyNames& names = names_of(params.family);
  Lister list;
  const std::string embeddings = std::string(names.prefix) + "embeddings.";
  list.matrix(embeddings + "word_embeddings.weight", params.word_embeddings, kEncoder);
  list.matrix(embeddings + "position_embeddings.weight", params.position_embeddings, kEncoder);
  if (params.token_type_embeddings.rows > 0) {
    list.matrix(embeddings + "token_type_embeddings.weight", params.token_type_embeddings,
                kEncoder);
  }
  list.layer_norm(embeddings + "LayerNorm", params.embedding_norm);
  for (std::size_t l = 0; l < params.layers.size(); ++l) {
    const EncoderLayerParams& layer = params.layers[l];
    const std::string name = fmt::format("{}{}{}.", names.prefix, names.layers, l);
    const auto named = [&](std::string_view part) { return name + std::string(part); };
    list.qkv(name, names.qkv, layer.qkv);
    list.linear(named(names.attention_output), layer.attention_output, kEncoder);
    list.layer_norm(named(names.attention_norm), layer.attention_norm);
    list.linear(named(names.intermediate), layer.intermediate, kEncoder);
    list.linear(named(names.output), layer.output, kEncoder);
    list.layer_norm(named(names.output_norm), layer.output_norm);
  }
  list.linear(std::string(names.pooler), params.pooler, ModelPart::kPooler);
  list.linear("classifier", params.classifier, ModelPart::kClassifier);
  return std::move(list.tensors);
}

std::vector<std::string> unquantized_maps(ModelFamily family) {
  return {std::string(names_of(family).pooler), "classifier"};
}

std::string scale_name(std::string_view weight_name) {
  return std::string(weight_name) + std::string(kScaleSuffix);
}

std::string weight_of_scale(std::string_view name) {
  if (!name.ends_with(".weight_scale")) return {};
  return std::string(name.substr(0, name.size() - kScaleSuffix.size()));
}

HfName resolve_hf_name(std::string_view name, ModelFamily family) {
  const FamilyNames& names = names_of(family);
  std::string_view base = name;
  if (base.starts_with(names.prefix)) base.remove_prefix(names.prefix.size());
  if (starts_with_any(name, names.pretraining_heads)) {
    return {HfNameKind::kPretrainingHead, std::string(name)};
  }
  if (name.starts_with("qa_outputs.")) return {HfNameKind::kOtherHead, std::string(name)};
  if (base == "embeddings.position_ids" || base == "embeddings.token_type_ids") {
    return {HfNameKind::kBuffer, std::string(name)};
  }
  std::string result(name);
  if (starts_with_any(name, names.parts)) result = std::string(names.prefix) + result;
  constexpr std::array<std::array<std::string_view, 2>, 2> kRenamed{
      {{"LayerNorm.gamma", "LayerNorm.weight"}, {"LayerNorm.beta", "LayerNorm.bias"}}};
  for (const auto& [legacy, current] : kRenamed) {
    if (result.ends_with(legacy)) {
      result.replace(result.size() - legacy.size(), legacy.size(), current);
    }
  }
  return {HfNameKind::kParameter, result};
}

}  // namespace tandem
