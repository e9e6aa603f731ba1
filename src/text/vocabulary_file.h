#pragma once
// vocab.txt, BERT's first file format: one token a line, its id is the line's number from 0.

#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer_config.h"
#include "text/tokenizer_spec.h"

namespace tandem {

// The tokenizer that BertTokenizer of transformers makes of a vocab.txt. Throws ModelError naming
// `file`, or the config's file.
TokenizerSpec parse_vocabulary_file(std::string_view text, const std::string& file,
                                    const TokenizerConfig& config);

// Tokens that a line cannot hold, and ids without a token, give an empty line.
std::string write_vocabulary_file(const std::vector<VocabularyEntry>& vocabulary);

}  // namespace tandem
