#pragma once
// config.json in Hugging Face's layout: what a BERT model is, and its labels.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/example.h"
#include "model/bert_config.h"

namespace tandem {

struct HfConfig {
  BertConfig bert;
  // The first of "architectures", e.g. "BertForMaskedLM"; empty when there is none.
  std::string architecture;
  // The classes of a classification head by id; empty when the model has none yet. One name for
  // regression.
  std::vector<std::string> labels;
  // "regression", "single_label_classification", "multi_label_classification", or empty.
  std::string problem_type;
  std::optional<std::int64_t> pad_token_id = 0;
  // The encoder's linear maps have 8-bit weights: "quantization_config" in the form of
  // compressed-tensors' "int-quantized", a scale for each output, and activations quantised by
  // token when they come.
  bool int8_weights = false;
  // The file's own text. The keys that Tandem doesn't know are kept when it is written again.
  std::string source = "{}";

  // Whether tensors called classifier.* are a classification head of whole texts, and not one of
  // tokens or of multiple choice.
  bool classifies_sequences() const;
};

// Reads and checks a config.json. Throws ModelError "<source>: <key>: ..." when it isn't strict
// JSON, is of a model other than BERT or DistilBERT, asks for what Tandem doesn't compute (another
// activation, relative positions, a decoder, pruned heads, weights quantised another way, own
// code), or has a number out of range. All numbers are capped, so that sizes made of them can't
// overflow.
//
// Labels are id2label's, else label2id's, else LABEL_0 ... of num_labels (2), as transformers has
// it, when the architecture is the family's ...ForSequenceClassification; none for other
// architectures.
HfConfig parse_hf_config(std::string_view text, const std::string& source);
HfConfig read_hf_config(const std::filesystem::path& path);

// The text of a config.json that transformers 4.x and 5.x load as what `config` says: all of
// the family's keys, its ...ForSequenceClassification with id2label and label2id (its base model
// when there are no labels), float32; and the keys of config.source that Tandem doesn't know, but
// for those that say which model it was. json.dumps(indent=2, sort_keys=True) and a newline.
std::string hf_config_text(const HfConfig& config);

// What the labels mean to the data. Throws ModelError when there are none, and for a problem type
// that isn't supported. One label without a problem type is regression, as in transformers.
LabelScheme label_scheme(const HfConfig& config);
// Makes `config` the configuration of a classifier with these labels.
void set_label_scheme(HfConfig& config, const LabelScheme& scheme);

// A tokenizer with more entries than the embedding has rows is a ModelError that names both
// numbers; `tokenizer` is its directory or file. Fewer entries are fine.
void check_vocabulary_fits(const BertConfig& config, std::int64_t vocabulary_size,
                           const std::string& tokenizer);

}  // namespace tandem
