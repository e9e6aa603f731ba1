#include "model/hf_config_keys.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include <fmt/format.h>

#include "base/printable.h"

namespace tandem {
namespace {

struct SizeKey {
  const char* name;
  std::int64_t BertConfig::*member;
  std::int64_t largest;
};
struct DropoutKey {
  const char* name;
  float BertConfig::*member;
};

constexpr std::array<SizeKey, 7> kBertSizes{{
    {"vocab_size", &BertConfig::vocab_size, 10'000'000},
    {"hidden_size", &BertConfig::hidden_size, 65'536},
    {"num_hidden_layers", &BertConfig::num_hidden_layers, 1'024},
    {"num_attention_heads", &BertConfig::num_attention_heads, 65'536},
    {"intermediate_size", &BertConfig::intermediate_size, 1'048'576},
    {"max_position_embeddings", &BertConfig::max_position_embeddings, 1'000'000},
    {"type_vocab_size", &BertConfig::type_vocab_size, 65'536},
}};
constexpr std::array<SizeKey, 6> kDistilBertSizes{{
    {"vocab_size", &BertConfig::vocab_size, 10'000'000},
    {"dim", &BertConfig::hidden_size, 65'536},
    {"n_layers", &BertConfig::num_hidden_layers, 1'024},
    {"n_heads", &BertConfig::num_attention_heads, 65'536},
    {"hidden_dim", &BertConfig::intermediate_size, 1'048'576},
    {"max_position_embeddings", &BertConfig::max_position_embeddings, 1'000'000},
}};
constexpr std::array<DropoutKey, 2> kBertDropouts{
    {{"hidden_dropout_prob", &BertConfig::hidden_dropout_prob},
     {"attention_probs_dropout_prob", &BertConfig::attention_probs_dropout_prob}}};
constexpr std::array<DropoutKey, 3> kDistilBertDropouts{
    {{"dropout", &BertConfig::hidden_dropout_prob},
     {"attention_dropout", &BertConfig::attention_probs_dropout_prob},
     {"seq_classif_dropout", &BertConfig::classifier_dropout}}};

constexpr FamilyIdentity kBert{"bert", "Bert", "BertForSequenceClassification", "BertModel"};
constexpr FamilyIdentity kDistilBert{"distilbert", "DistilBert",
                                     "DistilBertForSequenceClassification", "DistilBertModel"};

std::span<const SizeKey> sizes_of(ModelFamily family) {
  if (family == ModelFamily::kBert) return kBertSizes;
  return kDistilBertSizes;
}
std::span<const DropoutKey> dropouts_of(ModelFamily family) {
  if (family == ModelFamily::kBert) return kBertDropouts;
  return kDistilBertDropouts;
}

// DistilBertConfig's, where they are others than BertConfig's.
BertConfig defaults_of(ModelFamily family) {
  if (family == ModelFamily::kBert) return {};
  return {.family = ModelFamily::kDistilBert,
          .num_hidden_layers = 6,
          .type_vocab_size = 0,
          .classifier_dropout = 0.2F};
}

// `name` may be absent or the value that means what Tandem computes.
void require_text(const JsonValue& config, const char* name, std::string_view supported) {
  const auto value = config.find(name);
  if (value && (!value->is_text() || value->text() != supported)) {
    value->fail_expecting(fmt::format("\"{}\", the only one supported", supported));
  }
}

float dropout(const JsonValue& config, const char* name, float otherwise) {
  const auto value = config.find(name);
  if (!value) return otherwise;
  const auto p = static_cast<float>(value->number(0, 1));
  if (p >= 1) value->fail_expecting("a number from 0 to below 1");
  return p;
}

float number(const JsonValue& config, const char* name, double low, double high, float otherwise) {
  const auto value = config.find(name);
  return value ? static_cast<float>(value->number(low, high)) : otherwise;
}

// The double with the fewest digits that is this float: 0.1F as 0.1 and not 0.10000000149011612.
double shortest(float value) {
  const std::string text = fmt::format("{}", value);
  double result = 0;
  std::from_chars(text.data(), text.data() + text.size(), result);
  return result;
}

}  // namespace

const FamilyIdentity& identity_of(ModelFamily family) {
  return family == ModelFamily::kBert ? kBert : kDistilBert;
}

ModelFamily read_model_family(const JsonValue& config, const std::string& architecture) {
  const auto type = config.find("model_type");
  for (const ModelFamily family : {ModelFamily::kBert, ModelFamily::kDistilBert}) {
    const FamilyIdentity& identity = identity_of(family);
    if (type ? type->text() == identity.model_type : architecture.starts_with(identity.prefix)) {
      return family;
    }
  }
  constexpr std::string_view kSupported = "supported: \"bert\" and \"distilbert\"";
  if (!type) config.fail(fmt::format("model_type is missing; {}", kSupported));
  type->fail(fmt::format("\"{}\" is not supported; {}", printable(type->text()), kSupported));
}

BertConfig read_bert_config(const JsonValue& config, ModelFamily family) {
  const bool is_bert = family == ModelFamily::kBert;
  require_text(config, is_bert ? "hidden_act" : "activation", "gelu");
  if (is_bert) require_text(config, "position_embedding_type", "absolute");
  BertConfig bert = defaults_of(family);
  for (const SizeKey& key : sizes_of(family)) {
    if (const auto value = config.find(key.name)) {
      bert.*key.member = value->whole_number(1, key.largest);
    }
  }
  if (bert.hidden_size % bert.num_attention_heads != 0) {
    const auto sizes = sizes_of(family);
    config.fail(fmt::format("{} {} is not a multiple of {} {}", sizes[1].name, bert.hidden_size,
                            sizes[3].name, bert.num_attention_heads));
  }
  for (const DropoutKey& key : dropouts_of(family)) {
    bert.*key.member = dropout(config, key.name, bert.*key.member);
  }
  bert.initializer_range = number(config, "initializer_range", 0, 100, bert.initializer_range);
  if (is_bert) {
    bert.layer_norm_eps = number(config, "layer_norm_eps", 1e-30, 1, bert.layer_norm_eps);
    bert.classifier_dropout = dropout(config, "classifier_dropout", bert.hidden_dropout_prob);
  }
  return bert;
}

void write_bert_config(const BertConfig& config, nlohmann::json& out) {
  for (const SizeKey& key : sizes_of(config.family)) out[key.name] = config.*key.member;
  for (const DropoutKey& key : dropouts_of(config.family)) {
    out[key.name] = shortest(config.*key.member);
  }
  out["initializer_range"] = shortest(config.initializer_range);
  out["model_type"] = identity_of(config.family).model_type;
  if (config.family == ModelFamily::kDistilBert) {
    out["activation"] = "gelu";
    return;
  }
  out["layer_norm_eps"] = shortest(config.layer_norm_eps);
  out["classifier_dropout"] = nullptr;
  if (config.classifier_dropout != config.hidden_dropout_prob) {
    out["classifier_dropout"] = shortest(config.classifier_dropout);
  }
  out["hidden_act"] = "gelu";
  out["position_embedding_type"] = "absolute";
}

}  // namespace tandem
