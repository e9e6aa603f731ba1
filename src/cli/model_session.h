#pragma once
// A model ready to be trained or asked: its weights, its tokenizer and its layers.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "cli/shared_flags.h"
#include "data/token_dataset.h"
#include "model/bert_classifier.h"
#include "model/model_directory.h"
#include "nn/compute.h"
#include "text/tokenizer.h"
#include "train/classifier_model.h"

namespace tandem {

// Whether loading a model says what became of its tensors: not when it was said before.
enum class LoadReporting { kSaid, kSilent };

// Whether a model takes segments, for the tokenizer that is saved with it.
Segments segments_of(const BertConfig& config);

class ModelSession {
 public:
  // Loads a directory as a classifier with these labels.
  ModelSession(const std::filesystem::path& directory, const LabelScheme& labels,
               const LoadOptions& options, LoadReporting reporting = LoadReporting::kSaid);
  // Loads a fine-tuned model with the labels it has.
  explicit ModelSession(const std::filesystem::path& directory);

  // Chooses what is computed in, and says which: 8-bit integers, where the model has such weights
  // and this machine multiplies them fast, unless bf16 is asked for; otherwise as make_precision.
  void prepare(PrecisionRequest, Compute&);
  // The same with a precision that was chosen before, for training; says nothing.
  void prepare_for_training(Precision, Compute&);
  // Takes the weights of a model that was saved from this one.
  void take_weights(const std::filesystem::path& directory, Compute&);
  // Comes after prepare().
  ClassifierModel classifier();
  const ParamTable& table() const { return model_.table; }
  const Tokenizer& tokenizer() const { return tokenizer_; }
  // As config.json will say it.
  std::string config_text() const { return hf_config_text(model_.config); }
  const BertConfig& config() const { return model_.config.bert; }
  const LabelScheme& labels() const { return labels_; }

  // The smaller of what was asked for and what the model can read; says so when that is less.
  std::int64_t limit_tokens(std::int64_t asked) const;
  // Encodes examples, checks that the model can read them, and says how many tokens there are and
  // how many texts were cut or divided.
  TokenDataset encode(const ExampleSet& examples, const EncodingLimits& limits,
                      ThreadPool& pool) const;

  // Stages everything that transformers and this program load.
  void stage(StagedFiles& files) const;
  // The same with these weights instead of its own, in the table's order.
  void stage(StagedFiles& files, std::span<const float> weights) const;
  // The same with the encoder's linear maps as 8-bit integers.
  void stage_int8(StagedFiles& files) const;
  // What stage() will write, in bytes, and what a checkpoint with AdamW's moments will take.
  std::int64_t saved_bytes() const;
  std::int64_t checkpoint_bytes() const;

 private:
  void make_layers(Precision);
  bool use_int8_weights(PrecisionRequest, const Compute&) const;
  void stage_as(const HfConfig& config, std::span<const float> weights, StagedFiles& files) const;

  LabelScheme labels_;
  Tokenizer tokenizer_;
  LoadedModel model_;
  std::optional<AnyBertClassifier> classifier_;
  std::vector<BFloat16> bf16_weights_;  // with bf16; trained together with the model's
  std::unique_ptr<QuantizedWeights> quantized_;
};

}  // namespace tandem
