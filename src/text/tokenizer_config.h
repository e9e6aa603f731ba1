#pragma once
// tokenizer_config.json of transformers: what its tokenizer classes are made with.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "text/tokenizer_spec.h"

namespace tandem {

// A model_max_length that stands for none.
constexpr std::int64_t kUnlimitedTokens = 1'000'000'000'000'000'000;

struct TokenizerConfig {
  nlohmann::json original = nlohmann::json::object();  // all keys, also those not read here
  std::string file;                                    // for messages
  std::int64_t model_max_length = kUnlimitedTokens;
  std::optional<std::string> tokenizer_class;
  std::optional<bool> do_lower_case, strip_accents, tokenize_chinese_chars;
  // "cls_token" and the like; nothing inside when the file says null.
  std::map<std::string, std::optional<std::string>, std::less<>> special_tokens;
  std::vector<AddedToken> added_tokens;  // added_tokens_decoder

  // A special token: the file's, or transformers' default for BERT.
  std::optional<std::string> special_token(std::string_view key) const;
};

// The keys of special tokens with BERT's defaults.
struct SpecialTokenKey {
  std::string_view key, default_token;
};
constexpr SpecialTokenKey kSpecialTokenKeys[] = {{"pad_token", "[PAD]"},
                                                 {"unk_token", "[UNK]"},
                                                 {"cls_token", "[CLS]"},
                                                 {"sep_token", "[SEP]"},
                                                 {"mask_token", "[MASK]"}};

// Throws ModelError naming `file`.
TokenizerConfig parse_tokenizer_config(std::string_view text, const std::string& file);

// Throws ModelError when the config asks for another normal form than tokenizer.json: transformers
// would follow the config, `tokenizers` the other file.
void check_config_agrees(const TokenizerConfig& config, const TokenizerSpec& spec,
                         const std::string& tokenizer_json_file);

}  // namespace tandem
