#pragma once
// What each model family calls the numbers of a BertConfig in its config.json.

#include <string>

#include <nlohmann/json.hpp>

#include "formats/json.h"
#include "model/bert_config.h"

namespace tandem {

// Names that transformers gives to a family.
struct FamilyIdentity {
  const char* model_type;  // "bert"
  const char* prefix;      // of its architectures: "Bert"
  const char* classifier;  // "BertForSequenceClassification"
  const char* base_model;  // "BertModel"
};
const FamilyIdentity& identity_of(ModelFamily family);

// By model_type, else by the architecture. Throws ModelError when it is neither BERT nor
// DistilBERT.
ModelFamily read_model_family(const JsonValue& config, const std::string& architecture);

// Reads and checks all numbers, which are capped so that sizes made of them can't overflow. Throws
// ModelError for what Tandem doesn't compute: another activation, relative positions.
BertConfig read_bert_config(const JsonValue& config, ModelFamily family);

// Sets the family's keys of `out`, as its configuration in transformers writes them.
void write_bert_config(const BertConfig& config, nlohmann::json& out);

}  // namespace tandem
