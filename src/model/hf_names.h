#pragma once
// The names that Hugging Face's BERT and DistilBERT files give to tensors, and which parameter each
// one is. No other file knows these names.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/bert_params.h"

namespace tandem {

enum class ModelPart { kEncoder, kPooler, kClassifier };

// A tensor of a BertForSequenceClassification, or of a DistilBert one, and where its values lie in
// the flat arrays.
struct HfTensor {
  std::string name;                 // "bert.encoder.layer.0.attention.self.query.weight"
  std::vector<std::int64_t> shape;  // as in the file: [C, C], or [C] for a vector
  ParamSlice slice;                 // contiguous; the query is the first C rows of qkv
  ModelPart part;
  bool linear_weight = false;  // of one of the encoder's linear maps: these can be quantised
};

// All of them: embeddings, layers by number, pooler, classifier.
std::vector<HfTensor> hf_tensors(const BertParams& params);

// The linear maps that stay as they are in a quantised model: those after the encoder.
std::vector<std::string> unquantized_maps(ModelFamily family);
// The tensor that holds the scales of a quantised weight.
std::string scale_name(std::string_view weight_name);
// The weight that a tensor holds the scales of; empty for other tensors.
std::string weight_of_scale(std::string_view name);

// What a name in a file is.
enum class HfNameKind {
  kParameter,        // possibly one of hf_tensors()
  kPretrainingHead,  // masked words, next sentence: cls.*, vocab_*
  kOtherHead,        // of another task: qa_outputs.*
  kBuffer,           // position_ids, token_type_ids: counted by the program itself
};
struct HfName {
  HfNameKind kind;
  std::string name;  // as hf_tensors() has it
};

// Understands names with and without "bert." or "distilbert.", and LayerNorm.gamma and .beta for
// .weight and .bias (transformers 5.24, conversion_mapping.py, "legacy").
HfName resolve_hf_name(std::string_view name, ModelFamily family);

}  // namespace tandem
