#pragma once
// The JSON files of a saved tokenizer, as transformers writes them.

#include <string>

#include "text/tokenizer.h"
#include "text/tokenizer_config.h"
#include "text/tokenizer_spec.h"

namespace tandem {

// tokenizer.json as BertTokenizer saves it.
std::string write_tokenizer_json(const TokenizerSpec& spec);

// tokenizer_config.json: what `config` has, without what only held on the machine it comes from,
// and with what transformers needs to give the ids of `spec`, and segments where they are taken.
std::string write_tokenizer_config(const TokenizerSpec& spec, const TokenizerConfig& config,
                                   Segments segments);

// special_tokens_map.json, which transformers before version 5 saves and reads.
std::string write_special_tokens_map(const TokenizerSpec& spec, const TokenizerConfig& config);

}  // namespace tandem
