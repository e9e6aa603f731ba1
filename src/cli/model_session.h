#pragma once
// A model ready to be trained or asked: its weights, its tokenizer and its layers.

#include <cstdint>
#include <filesystem>

#include "data/token_dataset.h"
#include "model/bert_classifier.h"
#include "model/model_directory.h"
#include "text/tokenizer.h"
#include "train/classifier_model.h"

namespace tandem {

class ModelSession {
 public:
  // Loads a directory as a classifier with these labels, and says what became of its tensors.
  ModelSession(const std::filesystem::path& directory, const LabelScheme& labels,
               const LoadOptions& options);
  // Loads a fine-tuned model with the labels it has.
  explicit ModelSession(const std::filesystem::path& directory);

  ClassifierModel classifier() const;
  const Tokenizer& tokenizer() const { return tokenizer_; }
  const LabelScheme& labels() const { return labels_; }

  // The smaller of what was asked for and what the model can read; says so when that is less.
  std::int64_t limit_tokens(std::int64_t asked) const;
  // Encodes examples, checks that the model can read them, and says how many tokens there are and
  // how many texts were cut.
  TokenDataset encode(const ExampleSet& examples, std::int64_t max_tokens, ThreadPool& pool) const;

  // Stages everything that transformers and this program load.
  void stage(StagedFiles& files) const;
  // What stage() will write, in bytes.
  std::int64_t saved_bytes() const;

 private:
  LabelScheme labels_;
  Tokenizer tokenizer_;
  LoadedModel model_;
  BertClassifier classifier_;
};

}  // namespace tandem
