#pragma once
// README.md of a fine-tuned model, as transformers' Trainer writes it: what it is, what it reaches
// and how it was made.

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "report/card_metadata.h"

namespace tandem {

using CardFacts = std::vector<std::pair<std::string, std::string>>;

struct ModelCard {
  CardMetadata metadata;
  std::string base;  // what it was fine-tuned from, for people: a hub name or a directory's
  CardFacts hyperparameters;
  std::vector<nlohmann::json> log;    // trainer_state.json's log_history
  std::vector<std::string> versions;  // "Tandem 0.1.0"
};

// The hyperparameters that a run's arguments (training_args.json) say, under the names that
// transformers gives them. A job of `processes` has `update_examples` in each update.
CardFacts hyperparameters_of(const nlohmann::json& arguments, int processes,
                             std::int64_t update_examples);

// The hub name "org/name" of a model directory within huggingface_hub's cache; empty for others.
std::string hub_name_of(std::string_view model_directory);

std::string model_card(const ModelCard& card);

}  // namespace tandem
