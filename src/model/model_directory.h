#pragma once
// A model's directory in Hugging Face's layout: config.json and safetensors, read into one flat
// array and written from it.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/thread.h"
#include "model/bert_params.h"
#include "model/hf_config.h"
#include "nn/params.h"
#include "tensor/arena.h"

namespace tandem {

// What became of every tensor of the directory and of every parameter of the model.
struct LoadReport {
  enum class Part { kLoaded, kNew, kReplaced };  // kReplaced: there, of another size, not used

  ModelFamily family = ModelFamily::kBert;
  std::string source;  // "model.safetensors"
  std::string dtypes;  // "F32", "BF16 and F32"
  std::int64_t encoder_tensors = 0;
  Part pooler = Part::kLoaded;
  Part head = Part::kLoaded;
  std::int64_t labels = 0;  // K
  std::int64_t pretraining_tensors = 0, other_head_tensors = 0, buffers = 0;
  std::string architecture;             // of the file, for other_head_tensors
  std::vector<std::string> unexpected;  // names that mean nothing to this model

  // One line each: what was loaded, what is new, what was ignored, and whether that is as expected.
  std::vector<std::string> lines() const;
};

struct LoadedModel {
  HfConfig config;
  ParamTable table;
  BertParams params;
  std::unique_ptr<Arena> memory;  // owns weights
  std::span<float> weights;       // table.floats() of them, 64-byte aligned; gaps are zero
  LoadReport report;
};

struct LoadOptions {
  // K, the outputs that the classification head must have; 0: as many as config.json has labels,
  // which must then be there.
  std::int64_t outputs = 0;
  // A model without a classification head gets a new, random one.
  bool allow_new_head = false;
  // So does one whose head has another number of outputs.
  bool ignore_mismatched_sizes = false;
  // The weights will be changed, which 8-bit ones can't be.
  bool for_training = false;
  std::uint64_t seed = 42;  // of what is new
};

// Reads a model. Names and shapes are checked before memory is taken, so that what is taken is no
// more than what the files hold (as floats) and a new head. A pooler that isn't there is new too.
// config.labels is as in the file, also when the head is new.
//
// Throws ModelError when a file is missing or damaged, when a tensor of the encoder is missing, of
// another shape than config.json implies, of a type that isn't F32, F16, BF16 or, with scales in a
// quantised model, I8, or has values that are not finite, when the head isn't as `options` ask, and
// for 8-bit weights that are to be trained; MachineError when the weights
// don't fit in memory.
LoadedModel load_model(const std::filesystem::path& directory, const LoadOptions& options);

// A model of random weights. It has a classification head if `config` has labels.
LoadedModel new_model(HfConfig config, std::uint64_t seed, ThreadPool& pool);

struct ModelFile {
  std::string name, content;
};

// Stages config.json, model.safetensors (transformers' names; F32, and I8 with scales for the
// encoder's linear maps when the config says so) and `tokenizer_files`, so that
// transformers loads the directory: BertForSequenceClassification, or, when `config` has no labels,
// a BertModel. K must be the number of labels.
void stage_model(StagedFiles& files, const HfConfig& config, const BertParams& params,
                 std::span<const float> weights, std::span<const ModelFile> tokenizer_files);

}  // namespace tandem
