#include "text/saved_json.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tandem {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

// Keys of tokenizer_config.json that tell where a tokenizer was loaded from.
constexpr std::string_view kMachineKeys[] = {
    "name_or_path", "tokenizer_file", "vocab_file", "special_tokens_map_file", "added_tokens_file",
    "cache_dir",    "_commit_hash",   "is_local",   "local_files_only",        "device_map"};

using SpecialTokens = std::map<std::string_view, std::optional<std::string>>;

bool has_token(const TokenizerSpec& spec, std::string_view token) {
  return std::ranges::find(spec.vocabulary, token, &VocabularyEntry::token) !=
             spec.vocabulary.end() ||
         std::ranges::find(spec.added_tokens, token, &AddedToken::content) !=
             spec.added_tokens.end();
}

// The special tokens before and after the first text of `[CLS] a [SEP]`.
std::optional<BertTemplates> bert_templates_of(const TokenizerSpec& spec) {
  using Kind = TemplatePiece::Kind;
  const SequenceTemplate& single = spec.single;
  if (single.size() != 3 || single[1].kind != Kind::kFirstText || single[0].tokens.size() != 1 ||
      single[2].tokens.size() != 1) {
    return std::nullopt;
  }
  return bert_templates(single[0].tokens[0], single[2].tokens[0]);
}

// Whether BertTokenizer, which builds its tokenizer anew from the vocabulary and the config, builds
// this one. PreTrainedTokenizerFast takes tokenizer.json as it is.
bool is_bert_tokenizer(const TokenizerSpec& spec) {
  const WordPieceOptions bert{.unknown_token = spec.word_piece.unknown_token};
  const auto templates = bert_templates_of(spec);
  return spec.normalizer.clean_text && templates && spec.single == templates->single &&
         spec.pair == templates->pair &&
         spec.word_piece.continuing_subword_prefix == bert.continuing_subword_prefix &&
         spec.word_piece.max_input_chars_per_word == bert.max_input_chars_per_word;
}

// A token that the tokenizer lacks is null, or else transformers would add it.
SpecialTokens special_tokens_of(const TokenizerSpec& spec, const TokenizerConfig& config) {
  SpecialTokens tokens;
  for (const auto& [key, default_token] : kSpecialTokenKeys) {
    std::optional<std::string> token = config.special_token(key);
    if (token && !has_token(spec, *token)) token.reset();
    tokens[key] = std::move(token);
  }
  tokens["unk_token"] = spec.word_piece.unknown_token;
  if (const auto templates = bert_templates_of(spec)) {
    tokens["cls_token"] = templates->single[0].tokens[0].token;
    tokens["sep_token"] = templates->single[2].tokens[0].token;
  }
  return tokens;
}

json added_tokens_decoder(const TokenizerSpec& spec) {
  json decoder = json::object();
  for (const AddedToken& token : spec.added_tokens) {
    decoder[std::to_string(token.id)] = {
        {"content", token.content}, {"single_word", token.single_word}, {"lstrip", token.lstrip},
        {"rstrip", token.rstrip},   {"normalized", token.normalized},   {"special", token.special}};
  }
  return decoder;
}

ordered_json template_json(const SequenceTemplate& pieces) {
  ordered_json array = ordered_json::array();
  for (const TemplatePiece& piece : pieces) {
    const bool is_special = piece.kind == TemplatePiece::Kind::kSpecial;
    const std::string id = is_special                                      ? piece.tokens[0].token
                           : piece.kind == TemplatePiece::Kind::kFirstText ? "A"
                                                                           : "B";
    array.push_back(
        {{is_special ? "SpecialToken" : "Sequence", {{"id", id}, {"type_id", piece.segment}}}});
  }
  return array;
}

ordered_json post_processor_json(const TokenizerSpec& spec) {
  std::map<std::string, std::int32_t> ids;
  for (const TemplatePiece& piece : spec.pair) {
    for (const SpecialToken& special : piece.tokens) ids[special.token] = special.id;
  }
  ordered_json special_tokens = ordered_json::object();
  for (const auto& [token, id] : ids) {
    special_tokens[token] = {{"id", token}, {"ids", {id}}, {"tokens", {token}}};
  }
  return {{"type", "TemplateProcessing"},
          {"single", template_json(spec.single)},
          {"pair", template_json(spec.pair)},
          {"special_tokens", special_tokens}};
}

ordered_json added_tokens_json(const TokenizerSpec& spec) {
  ordered_json array = ordered_json::array();
  for (const AddedToken& token : spec.added_tokens) {
    array.push_back({{"id", token.id},
                     {"content", token.content},
                     {"single_word", token.single_word},
                     {"lstrip", token.lstrip},
                     {"rstrip", token.rstrip},
                     {"normalized", token.normalized},
                     {"special", token.special}});
  }
  return array;
}

// null where it follows lowercase, as in the files that BERT came with.
template <class Json>
Json strip_accents_json(const NormalizerOptions& options) {
  return options.strip_accents == options.lowercase ? Json(nullptr) : Json(options.strip_accents);
}

}  // namespace

std::string write_tokenizer_json(const TokenizerSpec& spec) {
  // The vocabulary is written line by line: ordered_json searches all keys for each new one.
  constexpr std::string_view kVocabulary = "\"vocab\": {}";
  const ordered_json file = {
      {"version", "1.0"},
      {"truncation", nullptr},
      {"padding", nullptr},
      {"added_tokens", added_tokens_json(spec)},
      {"normalizer",
       {{"type", "BertNormalizer"},
        {"clean_text", spec.normalizer.clean_text},
        {"handle_chinese_chars", spec.normalizer.handle_chinese_chars},
        {"strip_accents", strip_accents_json<ordered_json>(spec.normalizer)},
        {"lowercase", spec.normalizer.lowercase}}},
      {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
      {"post_processor", post_processor_json(spec)},
      {"decoder", {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}}},
      {"model",
       {{"type", "WordPiece"},
        {"unk_token", spec.word_piece.unknown_token},
        {"continuing_subword_prefix", spec.word_piece.continuing_subword_prefix},
        {"max_input_chars_per_word", spec.word_piece.max_input_chars_per_word},
        {"vocab", ordered_json::object()}}}};
  std::string text = file.dump(2);
  std::string lines = "\"vocab\": {\n";
  for (const VocabularyEntry& entry : spec.vocabulary) {
    const bool is_last = &entry == &spec.vocabulary.back();
    lines +=
        fmt::format("      {}: {}{}\n", json(entry.token).dump(), entry.id, is_last ? "" : ",");
  }
  text.replace(text.rfind(kVocabulary), kVocabulary.size(), lines + "    }");
  return text;
}

std::string write_tokenizer_config(const TokenizerSpec& spec, const TokenizerConfig& config,
                                   Segments segments) {
  json file = config.original;
  for (const std::string_view key : kMachineKeys) file.erase(std::string(key));
  if (is_bert_tokenizer(spec)) {
    // DistilBERT's gives the same ids, and no segments.
    file["tokenizer_class"] =
        segments == Segments::kTaken ? "BertTokenizer" : "DistilBertTokenizer";
    file.erase("model_input_names");
  } else {
    file["tokenizer_class"] = "PreTrainedTokenizerFast";
    // Version 5 gives no segments unless asked.
    json& names = file["model_input_names"] = {"input_ids", "token_type_ids", "attention_mask"};
    if (segments == Segments::kNotTaken) names.erase(1);
  }
  file["do_lower_case"] = spec.normalizer.lowercase;
  file["strip_accents"] = strip_accents_json<json>(spec.normalizer);
  file["tokenize_chinese_chars"] = spec.normalizer.handle_chinese_chars;
  file["added_tokens_decoder"] = added_tokens_decoder(spec);
  for (const auto& [key, token] : special_tokens_of(spec, config)) {
    file[std::string(key)] = token ? json(*token) : json(nullptr);
  }
  // What transformers itself takes when there is none.
  if (config.model_max_length == kUnlimitedTokens) file.erase("model_max_length");
  return file.dump(2) + "\n";
}

std::string write_special_tokens_map(const TokenizerSpec& spec, const TokenizerConfig& config) {
  json file = json::object();
  for (const auto& [key, token] : special_tokens_of(spec, config)) {
    if (token) file[std::string(key)] = *token;
  }
  return file.dump(2) + "\n";
}

}  // namespace tandem
