#include "text/tokenizer_json.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/printable.h"
#include "formats/json.h"

namespace tandem {
namespace {

constexpr std::int64_t kLongestWord = 10'000;  // of max_input_chars_per_word; 100 in every BERT

using Ids = std::unordered_map<std::string_view, std::int32_t>;

// The "type" of a section that must be one of `supported`.
std::string section_type(const JsonValue& section,
                         std::initializer_list<std::string_view> supported) {
  const JsonValue type = section.at("type");
  if (std::ranges::find(supported, type.text()) == supported.end()) {
    type.fail(fmt::format("found {}, supported is only {}", in_quotes(type.text()),
                          fmt::join(supported, " or ")));
  }
  return type.text();
}

JsonValue section(const JsonValue& file, std::string_view name, std::string_view supported) {
  const auto found = file.find(name);
  if (!found) file.fail(fmt::format("{} is missing, expected one of type {}", name, supported));
  return *found;
}

NormalizerOptions parse_normalizer(const JsonValue& normalizer) {
  section_type(normalizer, {"BertNormalizer"});
  const bool lowercase = normalizer.at("lowercase").boolean();
  const auto strip_accents = normalizer.find("strip_accents");
  return {.clean_text = normalizer.at("clean_text").boolean(),
          .handle_chinese_chars = normalizer.at("handle_chinese_chars").boolean(),
          .strip_accents = strip_accents ? strip_accents->boolean() : lowercase,
          .lowercase = lowercase};
}

std::vector<VocabularyEntry> parse_vocabulary(const JsonValue& field) {
  if (!field.raw().is_object()) field.fail_expecting("an object");
  std::vector<VocabularyEntry> vocabulary;
  vocabulary.reserve(field.raw().size());
  for (const auto& [token, id] : field.raw().items()) {
    if (!id.is_number_unsigned() || id.get<std::uint64_t>() >= kTokenIds) {
      field.at(token).whole_number(0, kTokenIds - 1);  // throws
    }
    vocabulary.push_back({token, id.get<std::int32_t>()});
  }
  std::ranges::sort(vocabulary, {}, &VocabularyEntry::id);
  const auto twice = std::ranges::adjacent_find(vocabulary, {}, &VocabularyEntry::id);
  if (twice != vocabulary.end()) {
    field.fail(fmt::format("{} and {} both have id {}", in_quotes(twice->token),
                           in_quotes(std::next(twice)->token), twice->id));
  }
  return vocabulary;
}

void parse_model(const JsonValue& model, TokenizerSpec& spec) {
  // Files of 2019 have no type; their keys tell.
  if (model.find("type")) section_type(model, {"WordPiece"});
  spec.word_piece = {.unknown_token = model.at("unk_token").text(),
                     .continuing_subword_prefix = model.at("continuing_subword_prefix").text(),
                     .max_input_chars_per_word =
                         model.at("max_input_chars_per_word").whole_number(1, kLongestWord)};
  spec.vocabulary = parse_vocabulary(model.at("vocab"));
  const auto is_unknown = [&](const VocabularyEntry& entry) {
    return entry.token == spec.word_piece.unknown_token;
  };
  if (std::ranges::none_of(spec.vocabulary, is_unknown)) {
    model.at("unk_token")
        .fail(fmt::format("{} is not in the vocabulary", in_quotes(spec.word_piece.unknown_token)));
  }
}

AddedToken parse_added_token(const JsonValue& field) {
  AddedToken token{.id = static_cast<std::int32_t>(field.at("id").whole_number(0, kTokenIds - 1)),
                   .content = field.at("content").text(),
                   .single_word = field.at("single_word").boolean(),
                   .lstrip = field.at("lstrip").boolean(),
                   .rstrip = field.at("rstrip").boolean(),
                   .normalized = field.at("normalized").boolean(),
                   .special = field.at("special").boolean()};
  if (token.content.empty()) field.at("content").fail_expecting("a token");
  return token;
}

Ids ids_of(const TokenizerSpec& spec) {
  Ids ids;
  ids.reserve(spec.vocabulary.size() + spec.added_tokens.size());
  for (const VocabularyEntry& entry : spec.vocabulary) ids.emplace(entry.token, entry.id);
  for (const AddedToken& token : spec.added_tokens) ids.emplace(token.content, token.id);
  return ids;
}

SpecialToken special_token(const JsonValue& token, const JsonValue& id, const Ids& ids) {
  const auto found = ids.find(token.text());
  if (found == ids.end()) {
    token.fail(fmt::format("{} is not in the vocabulary", in_quotes(token.text())));
  }
  if (id.whole_number(0, kTokenIds - 1) != found->second) {
    id.fail(fmt::format("{} has id {} in the vocabulary, here it has {}", in_quotes(token.text()),
                        found->second, id.raw().dump()));
  }
  return {found->second, token.text()};
}

// One entry of TemplateProcessing's special_tokens: one name may stand for several tokens.
std::vector<SpecialToken> named_tokens(const JsonValue& entry, const Ids& ids) {
  const std::vector<JsonValue> entry_ids = entry.at("ids").elements();
  const std::vector<JsonValue> entry_tokens = entry.at("tokens").elements();
  if (entry_ids.size() != entry_tokens.size()) {
    entry.fail(fmt::format("it has {} ids and {} tokens", entry_ids.size(), entry_tokens.size()));
  }
  std::vector<SpecialToken> tokens;
  for (std::size_t i = 0; i < entry_ids.size(); ++i) {
    tokens.push_back(special_token(entry_tokens[i], entry_ids[i], ids));
  }
  return tokens;
}

TemplatePiece parse_piece(const JsonValue& piece, const JsonValue& special_tokens, const Ids& ids) {
  // BERT has two segments.
  const auto segment_of = [](const JsonValue& field) {
    return static_cast<std::int32_t>(field.at("type_id").whole_number(0, 1));
  };
  if (const auto text = piece.find("Sequence")) {
    const std::string& name = text->at("id").text();
    if (name != "A" && name != "B") text->at("id").fail_expecting("\"A\" or \"B\"");
    return {name == "A" ? TemplatePiece::Kind::kFirstText : TemplatePiece::Kind::kSecondText,
            {},
            segment_of(*text)};
  }
  const auto special = piece.find("SpecialToken");
  if (!special) piece.fail("expected a Sequence or a SpecialToken");
  const std::string& name = special->at("id").text();
  if (!special_tokens.find(name)) {
    special->at("id").fail(fmt::format("{} is not among special_tokens", in_quotes(name)));
  }
  return {TemplatePiece::Kind::kSpecial, named_tokens(special_tokens.at(name), ids),
          segment_of(*special)};
}

SequenceTemplate parse_template(const JsonValue& processor, std::string_view name, const Ids& ids) {
  const JsonValue field = processor.at(name);
  const JsonValue special_tokens = processor.at("special_tokens");
  SequenceTemplate pieces;
  for (const JsonValue& piece : field.elements()) {
    pieces.push_back(parse_piece(piece, special_tokens, ids));
  }
  const auto times = [&](TemplatePiece::Kind kind) {
    return std::ranges::count(pieces, kind, &TemplatePiece::kind);
  };
  const bool is_pair = name == "pair";
  if (times(TemplatePiece::Kind::kFirstText) != 1 ||
      times(TemplatePiece::Kind::kSecondText) != (is_pair ? 1 : 0)) {
    field.fail(is_pair ? "expected the Sequences A and B once each"
                       : "expected the Sequence A once");
  }
  return pieces;
}

void parse_post_processor(const JsonValue& processor, TokenizerSpec& spec) {
  const Ids ids = ids_of(spec);
  if (section_type(processor, {"TemplateProcessing", "BertProcessing"}) == "TemplateProcessing") {
    spec.single = parse_template(processor, "single", ids);
    spec.pair = parse_template(processor, "pair", ids);
    return;
  }
  const auto token = [&](std::string_view name) {
    const JsonValue field = processor.at(name);
    const std::vector<JsonValue> parts = field.elements();
    if (parts.size() != 2) field.fail_expecting("a token and its id");
    return special_token(parts[0], parts[1], ids);
  };
  BertTemplates templates = bert_templates(token("cls"), token("sep"));
  spec.single = std::move(templates.single);
  spec.pair = std::move(templates.pair);
}

}  // namespace

void check_added_tokens(const TokenizerSpec& spec, const std::string& file) {
  const Normalizer normalizer(spec.normalizer);
  Ids ids;
  std::set<std::int32_t> taken;
  for (const VocabularyEntry& entry : spec.vocabulary) {
    ids.emplace(entry.token, entry.id);
    taken.insert(entry.id);
  }
  std::set<std::string> contents, patterns;
  auto next_id = static_cast<std::int32_t>(spec.vocabulary.size());
  for (const AddedToken& token : spec.added_tokens) {
    if (!contents.insert(token.content).second) {
      throw ModelError("{}: the added token {} is there twice", file, in_quotes(token.content));
    }
    const auto known = ids.find(token.content);
    const std::int32_t expected = known == ids.end() ? next_id++ : known->second;
    if (token.id != expected || (known == ids.end() && !taken.insert(token.id).second)) {
      throw ModelError("{}: the added token {} has id {}, expected {}", file,
                       in_quotes(token.content), token.id,
                       known == ids.end() ? fmt::format("the next free one, {}", expected)
                                          : fmt::format("{} as in the vocabulary", expected));
    }
    if (!token.normalized) continue;
    std::string pattern;
    normalizer.append(token.content, pattern);
    if (pattern.empty() || !patterns.insert(pattern).second) {
      throw ModelError("{}: the added token {} has the normal form {}, {}", file,
                       in_quotes(token.content), in_quotes(pattern),
                       pattern.empty() ? "which cannot be found in a text" : "as another one has");
    }
  }
}

TokenizerSpec parse_tokenizer_json(std::string_view text, const std::string& file) {
  const nlohmann::json json = parse_json(text, {.name = file});
  const JsonValue root(json, {.name = file});
  if (const auto version = root.find("version"); version && version->text() != "1.0") {
    version->fail_expecting("\"1.0\"");
  }
  TokenizerSpec spec;
  parse_model(section(root, "model", "WordPiece"), spec);
  spec.normalizer = parse_normalizer(section(root, "normalizer", "BertNormalizer"));
  section_type(section(root, "pre_tokenizer", "BertPreTokenizer"), {"BertPreTokenizer"});
  if (const auto tokens = root.find("added_tokens")) {
    for (const JsonValue& token : tokens->elements()) {
      spec.added_tokens.push_back(parse_added_token(token));
    }
  }
  check_added_tokens(spec, file);
  parse_post_processor(section(root, "post_processor", "TemplateProcessing or BertProcessing"),
                       spec);
  return spec;
}

}  // namespace tandem
