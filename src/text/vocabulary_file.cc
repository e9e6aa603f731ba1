#include "text/vocabulary_file.h"

#include <algorithm>
#include <unordered_map>

#include "base/error.h"
#include "base/printable.h"
#include "base/utf8.h"
#include "text/tokenizer_json.h"
#include "text/unicode.h"

namespace tandem {
namespace {

// What transformers makes a BertTokenizer of, or a class derived from it without changes.
constexpr std::string_view kBertClasses[] = {
    "BertTokenizer",           "BertTokenizerFast",       "DistilBertTokenizer",
    "DistilBertTokenizerFast", "ElectraTokenizer",        "ElectraTokenizerFast",
    "MobileBertTokenizer",     "MobileBertTokenizerFast", "PreTrainedTokenizerFast"};

// As `tokenizers` reads it: white space at a line's end goes, of two equal tokens the last counts.
std::vector<VocabularyEntry> parse_lines(std::string_view text, const std::string& file) {
  std::vector<VocabularyEntry> entries;
  std::unordered_map<std::string_view, std::int32_t> last_line;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const auto id = static_cast<std::int64_t>(entries.size());
    if (const auto invalid = first_invalid_utf8(line)) {
      throw ModelError("{}:{}: byte {} is not UTF-8", file, id + 1, *invalid + 1);
    }
    if (id >= kTokenIds) throw ModelError("{}: more than {} lines", file, kTokenIds);
    line.remove_suffix(unicode::trailing_whitespace(line));
    entries.push_back({std::string(line), static_cast<std::int32_t>(id)});
    last_line[line] = entries.back().id;
  }
  std::erase_if(entries, [&](const VocabularyEntry& entry) {
    return last_line.find(entry.token)->second != entry.id;
  });
  return entries;
}

const VocabularyEntry* find_entry(const std::vector<VocabularyEntry>& vocabulary,
                                  std::string_view token) {
  const auto found = std::ranges::find(vocabulary, token, &VocabularyEntry::token);
  return found == vocabulary.end() ? nullptr : &*found;
}

SpecialToken required_token(const TokenizerSpec& spec, const std::string& file,
                            const TokenizerConfig& config, std::string_view key) {
  const auto token = config.special_token(key);
  if (!token) throw ModelError("{}: {} is null, BERT needs it", config.file, key);
  const VocabularyEntry* const entry = find_entry(spec.vocabulary, *token);
  if (entry == nullptr) {
    throw ModelError("{}: the token {} is missing (the {}, one token a line)", file, *token, key);
  }
  return {entry->id, entry->token};
}

// Tokens of added_tokens_decoder, then special tokens that it doesn't have. One that the vocabulary
// lacks (some have no [MASK]) is left out: transformers would give it an id outside the model.
std::vector<AddedToken> added_tokens(const TokenizerSpec& spec, const TokenizerConfig& config) {
  std::vector<AddedToken> tokens = config.added_tokens;
  for (const auto& [key, default_token] : kSpecialTokenKeys) {
    const auto token = config.special_token(key);
    if (!token || std::ranges::find(tokens, *token, &AddedToken::content) != tokens.end()) continue;
    const VocabularyEntry* const entry = find_entry(spec.vocabulary, *token);
    if (entry == nullptr) continue;
    tokens.push_back({.id = entry->id, .content = *token, .special = true});
  }
  return tokens;
}

bool fits_a_line(std::string_view token) {
  return token.find_first_of("\r\n") == token.npos && unicode::trailing_whitespace(token) == 0;
}

}  // namespace

TokenizerSpec parse_vocabulary_file(std::string_view text, const std::string& file,
                                    const TokenizerConfig& config) {
  if (config.tokenizer_class &&
      std::ranges::find(kBertClasses, *config.tokenizer_class) == std::end(kBertClasses)) {
    throw ModelError(
        "{}: tokenizer_class is {}, supported with a vocab.txt is only BertTokenizer; save the "
        "tokenizer with transformers to get a tokenizer.json",
        config.file, in_quotes(*config.tokenizer_class));
  }
  TokenizerSpec spec;
  const bool lowercase = config.do_lower_case.value_or(true);
  spec.normalizer = {.handle_chinese_chars = config.tokenize_chinese_chars.value_or(true),
                     .strip_accents = config.strip_accents.value_or(lowercase),
                     .lowercase = lowercase};
  spec.vocabulary = parse_lines(text, file);
  spec.word_piece.unknown_token = required_token(spec, file, config, "unk_token").token;
  BertTemplates templates = bert_templates(required_token(spec, file, config, "cls_token"),
                                           required_token(spec, file, config, "sep_token"));
  spec.single = std::move(templates.single);
  spec.pair = std::move(templates.pair);
  spec.added_tokens = added_tokens(spec, config);
  check_added_tokens(spec, config.added_tokens.empty() ? file : config.file);
  std::ranges::sort(spec.added_tokens, {}, &AddedToken::id);
  return spec;
}

std::string write_vocabulary_file(const std::vector<VocabularyEntry>& vocabulary) {
  std::string text;
  std::int32_t line = 0;
  for (const VocabularyEntry& entry : vocabulary) {
    text.append(static_cast<std::size_t>(entry.id - line), '\n');
    if (fits_a_line(entry.token)) text += entry.token;
    text += '\n';
    line = entry.id + 1;
  }
  return text;
}

}  // namespace tandem
