#include "text/tokenizer_config.h"

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "formats/json.h"

namespace tandem {
namespace {

std::optional<bool> optional_boolean(const JsonValue& root, std::string_view key) {
  const auto field = root.find(key);
  if (!field) return std::nullopt;
  return field->boolean();
}

// transformers writes a length that isn't known as the whole number nearest to 1e30.
std::int64_t parse_length(const JsonValue& field) {
  if (field.raw().is_number_float() && field.raw().get<double>() >= 1e18) {
    return kUnlimitedTokens;
  }
  return std::min(field.whole_number(1, INT64_MAX), kUnlimitedTokens);
}

// A token is a text or an object that has it as its content.
std::string token_text(const JsonValue& field) {
  return field.raw().is_object() ? field.at("content").text() : field.text();
}

AddedToken parse_added_token(const std::string& id, const JsonValue& field) {
  AddedToken token{.content = field.at("content").text()};
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), token.id);
  if (error != std::errc() || end != id.data() + id.size() || token.id < 0 ||
      token.id >= kTokenIds) {
    field.fail(fmt::format("expected an id from 0 to {} as its key", kTokenIds - 1));
  }
  if (token.content.empty()) field.at("content").fail_expecting("a token");
  const auto flag = [&](std::string_view key) {
    return optional_boolean(field, key).value_or(false);
  };
  token.single_word = flag("single_word");
  token.lstrip = flag("lstrip");
  token.rstrip = flag("rstrip");
  token.normalized = flag("normalized");
  token.special = flag("special");
  return token;
}

}  // namespace

std::optional<std::string> TokenizerConfig::special_token(std::string_view key) const {
  if (const auto found = special_tokens.find(key); found != special_tokens.end()) {
    return found->second;
  }
  return std::string(
      std::ranges::find(kSpecialTokenKeys, key, &SpecialTokenKey::key)->default_token);
}

TokenizerConfig parse_tokenizer_config(std::string_view text, const std::string& file) {
  TokenizerConfig config;
  config.original = parse_json(text, {.name = file});
  config.file = file;
  const JsonValue root(config.original, {.name = file});
  if (const auto length = root.find("model_max_length")) {
    config.model_max_length = parse_length(*length);
  }
  if (const auto name = root.find("tokenizer_class")) config.tokenizer_class = name->text();
  config.do_lower_case = optional_boolean(root, "do_lower_case");
  config.strip_accents = optional_boolean(root, "strip_accents");
  config.tokenize_chinese_chars = optional_boolean(root, "tokenize_chinese_chars");
  for (const auto& [key, default_token] : kSpecialTokenKeys) {
    if (!config.original.contains(key)) continue;
    const auto field = root.find(key);
    config.special_tokens.emplace(key, field ? std::optional(token_text(*field)) : std::nullopt);
  }
  if (const auto decoder = root.find("added_tokens_decoder")) {
    for (const auto& [id, token] : decoder->members()) {
      config.added_tokens.push_back(parse_added_token(id, token));
    }
  }
  std::ranges::sort(config.added_tokens, {}, &AddedToken::id);
  return config;
}

void check_config_agrees(const TokenizerConfig& config, const TokenizerSpec& spec,
                         const std::string& tokenizer_json_file) {
  const auto check = [&](std::string_view key, std::optional<bool> asked, std::string_view option,
                         bool used) {
    if (!asked || *asked == used) return;
    throw ModelError(
        "{}: {} is {}, but in {} the normalizer has {} {}; give both the value the model was "
        "trained with",
        config.file, key, *asked, tokenizer_json_file, option, used);
  };
  check("do_lower_case", config.do_lower_case, "lowercase", spec.normalizer.lowercase);
  check("strip_accents", config.strip_accents, "strip_accents", spec.normalizer.strip_accents);
  check("tokenize_chinese_chars", config.tokenize_chinese_chars, "handle_chinese_chars",
        spec.normalizer.handle_chinese_chars);
}

}  // namespace tandem
