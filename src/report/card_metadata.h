#pragma once
// The front matter of a model card: YAML that the hub and huggingface_hub read.

#include <string>
#include <string_view>
#include <vector>

#include "train/run_log.h"

namespace tandem {

// A set that the model was evaluated on. Empty fields are left out.
struct CardDataset {
  std::string name;       // "GLUE MRPC", or the file's name
  std::string type;       // the hub's: "glue"; "unknown" for own files
  std::string config;     // "mrpc"
  std::string split;      // "validation"
  std::string arguments;  // as run_glue.py says it: the task's name
};

struct CardResult {
  CardDataset dataset;
  std::string suffix;  // of its metrics: "_mm"
  Results results;     // "eval_accuracy_mm", ...; those that the hub has no tag for are left out
};

struct CardMetadata {
  std::string model_name;
  std::string base_model;  // a hub name; empty when the model came from a directory
  std::string language;    // "en"; empty when unknown
  std::vector<CardResult> results;
};

// "f1_mm" of the set "_mm" is "F1", "matthews_correlation" "Matthews Correlation".
std::string metric_title(std::string_view metric, std::string_view suffix = {});

// A plain YAML scalar where the text can't be taken for anything else, else in double quotes.
std::string yaml_text(std::string_view text);

// From "---" to "---": library_name, language, base_model, tags, datasets, metrics, model-index, in
// transformers' order.
std::string card_front_matter(const CardMetadata& metadata);

}  // namespace tandem
