#pragma once
// The files of a model directory that make up its tokenizer.

#include <filesystem>
#include <string>
#include <vector>

#include "text/tokenizer.h"
#include "text/tokenizer_config.h"
#include "text/tokenizer_spec.h"

namespace tandem {

struct TokenizerFiles {
  TokenizerSpec spec;
  TokenizerConfig config;
  std::string tokenizer_json;  // as it was found; empty when the model has none
};

// Throws ModelError that names file and fault.
TokenizerFiles read_tokenizer_files(const std::filesystem::path& model_directory);

// What a saved model needs; see Tokenizer::files.
std::vector<Tokenizer::File> saved_tokenizer_files(const TokenizerFiles& files, Segments segments);

}  // namespace tandem
