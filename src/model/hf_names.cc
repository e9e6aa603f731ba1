#include "model/hf_names.h"

#include <array>

#include <fmt/format.h>

namespace tandem {
namespace {

constexpr std::string_view kPrefix = "bert.";
constexpr std::string_view kScaleSuffix = "_scale";

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
  void qkv(const std::string& name, const LinearParams& params) {
    const std::int64_t width = params.weight.cols;
    std::int64_t third = 0;
    for (const char* part : {"query", "key", "value"}) {
      const LinearParams rows{
          .weight = {.offset = params.weight.offset + third * width * width,
                     .rows = width,
                     .cols = width},
          .bias = {.offset = params.bias.offset + third * width, .rows = 1, .cols = width}};
      linear(name + "." + part, rows, ModelPart::kEncoder);
      ++third;
    }
  }

  std::vector<HfTensor> tensors;
};

}  // namespace

std::vector<HfTensor> hf_tensors(const BertParams& params) {
  constexpr ModelPart kEncoder = ModelPart::kEncoder;
  Lister list;
  const std::string embeddings = "bert.embeddings.";
  list.matrix(embeddings + "word_embeddings.weight", params.word_embeddings, kEncoder);
  list.matrix(embeddings + "position_embeddings.weight", params.position_embeddings, kEncoder);
  list.matrix(embeddings + "token_type_embeddings.weight", params.token_type_embeddings, kEncoder);
  list.layer_norm(embeddings + "LayerNorm", params.embedding_norm);
  for (std::size_t l = 0; l < params.layers.size(); ++l) {
    const EncoderLayerParams& layer = params.layers[l];
    const std::string name = fmt::format("bert.encoder.layer.{}.", l);
    list.qkv(name + "attention.self", layer.qkv);
    list.linear(name + "attention.output.dense", layer.attention_output, kEncoder);
    list.layer_norm(name + "attention.output.LayerNorm", layer.attention_norm);
    list.linear(name + "intermediate.dense", layer.intermediate, kEncoder);
    list.linear(name + "output.dense", layer.output, kEncoder);
    list.layer_norm(name + "output.LayerNorm", layer.output_norm);
  }
  list.linear("bert.pooler.dense", params.pooler, ModelPart::kPooler);
  list.linear("classifier", params.classifier, ModelPart::kClassifier);
  return std::move(list.tensors);
}

std::vector<std::string> unquantized_maps() { return {"bert.pooler.dense", "classifier"}; }

std::string scale_name(std::string_view weight_name) {
  return std::string(weight_name) + std::string(kScaleSuffix);
}

std::string weight_of_scale(std::string_view name) {
  if (!name.ends_with(".weight_scale")) return {};
  return std::string(name.substr(0, name.size() - kScaleSuffix.size()));
}

HfName resolve_hf_name(std::string_view name) {
  std::string_view base = name;
  if (base.starts_with(kPrefix)) base.remove_prefix(kPrefix.size());
  if (name.starts_with("cls.")) return {HfNameKind::kPretrainingHead, std::string(name)};
  if (name.starts_with("qa_outputs.")) return {HfNameKind::kOtherHead, std::string(name)};
  if (base == "embeddings.position_ids" || base == "embeddings.token_type_ids") {
    return {HfNameKind::kBuffer, std::string(name)};
  }
  std::string result(name);
  for (const char* part : {"embeddings.", "encoder.", "pooler."}) {
    if (name.starts_with(part)) result = std::string(kPrefix) + result;
  }
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
