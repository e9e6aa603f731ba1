#pragma once
// tokenizer.json of the `tokenizers` package, as far as it describes a BERT tokenizer.

#include <string>
#include <string_view>

#include "text/tokenizer_spec.h"

namespace tandem {

// Throws ModelError naming `file` for whatever is not such a tokenizer. The sections `truncation`,
// `padding` and `decoder` say nothing about how a text is cut and are not looked at.
TokenizerSpec parse_tokenizer_json(std::string_view text, const std::string& file);

// Throws ModelError naming `file` unless `tokenizers` would give each added token the id it has,
// and each has a normal form to look for.
void check_added_tokens(const TokenizerSpec& spec, const std::string& file);

}  // namespace tandem
