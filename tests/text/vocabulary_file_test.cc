#include "text/vocabulary_file.h"

#include <gtest/gtest.h>

#include "support/error_message.h"
#include "text/tokenizer_cases.h"

namespace tandem {
namespace {

using testing::failure_of;
using testing::TemporaryDirectory;

constexpr std::string_view kTokens = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n##b\n";

TokenizerSpec parse(std::string_view text, std::string_view config = "{}") {
  return parse_vocabulary_file(text, "vocab.txt", parse_tokenizer_config(config, "c.json"));
}

std::string failure(std::string_view text, std::string_view config = "{}") {
  const auto result = failure_of([&] { parse(text, config); });
  EXPECT_EQ(result.code, ExitCode::kModel);
  return result.message;
}

std::string written(std::string_view text) { return write_vocabulary_file(parse(text).vocabulary); }

TEST(VocabularyFile, GivesTheTokenizerThatTokenizerJsonGives) {
  const TemporaryDirectory directory;
  directory.write("vocab.txt", testing::small_vocabulary());
  const Tokenizer tokenizer = Tokenizer::load(directory.path());
  for (const auto& row : testing::tokenizer_cases().at("variants").at(0).at("cases")) {
    std::vector<std::int32_t> expected;
    for (const auto& token : row[1]) expected.push_back(token[0].get<std::int32_t>());
    EXPECT_EQ(tokenizer.encode(row[0].get<std::string>(), {}, 1000).ids, expected) << row[0];
  }
}

TEST(VocabularyFile, FollowsTheConfig) {
  const NormalizerOptions cased = parse(kTokens, R"({"do_lower_case": false})").normalizer;
  EXPECT_FALSE(cased.lowercase);
  EXPECT_FALSE(cased.strip_accents);
  EXPECT_TRUE(cased.clean_text);
  const NormalizerOptions kept =
      parse(kTokens, R"({"strip_accents": false, "tokenize_chinese_chars": false})").normalizer;
  EXPECT_TRUE(kept.lowercase);
  EXPECT_FALSE(kept.strip_accents);
  EXPECT_FALSE(kept.handle_chinese_chars);
}

TEST(VocabularyFile, EndsLinesAsTheReferenceDoes) {
  const TokenizerSpec spec = parse("[PAD]\r\n[UNK]\r\n[CLS]\n[SEP] \u3000\nc\rr\n\nlast");
  EXPECT_EQ(spec.vocabulary[3].token, "[SEP]");
  EXPECT_EQ(spec.vocabulary[4].token, "c\rr");
  EXPECT_EQ(spec.vocabulary[5].token, "");
  EXPECT_EQ(spec.vocabulary[6].token, "last");
  EXPECT_EQ(spec.vocabulary.size(), 7U);
}

TEST(VocabularyFile, TakesTheLastOfEqualTokens) {
  const TokenizerSpec spec = parse("[UNK]\n[CLS]\n[SEP]\na\nb\na\n");
  ASSERT_EQ(spec.vocabulary.size(), 5U);
  EXPECT_EQ(spec.vocabulary[3].token, "b");
  EXPECT_EQ(spec.vocabulary[4].token, "a");
  EXPECT_EQ(spec.vocabulary[4].id, 5);
}

TEST(VocabularyFile, LeavesOutSpecialTokensItDoesNotHave) {
  EXPECT_EQ(parse(kTokens).added_tokens.size(), 5U);
  EXPECT_EQ(parse("[UNK]\n[CLS]\n[SEP]\n").added_tokens.size(), 3U);
}

TEST(VocabularyFile, AddsTheTokensOfTheConfig) {
  const TokenizerSpec spec = parse(kTokens, R"({"added_tokens_decoder": {
      "4": {"content": "[MASK]", "lstrip": true, "special": true},
      "7": {"content": "covid", "normalized": true}}})");
  ASSERT_EQ(spec.added_tokens.size(), 6U);
  EXPECT_TRUE(spec.added_tokens[4].lstrip);
  EXPECT_EQ(spec.added_tokens[5].content, "covid");
  EXPECT_EQ(spec.added_tokens[5].id, 7);
  EXPECT_EQ(failure(kTokens, R"({"added_tokens_decoder": {"9": {"content": "covid"}}})"),
            "c.json: the added token \"covid\" has id 9, expected the next free one, 7");
}

TEST(VocabularyFile, NamesWhatIsWrong) {
  EXPECT_EQ(failure("[UNK]\n[CLS]\n"),
            "vocab.txt: the token [SEP] is missing (the sep_token, one token a line)");
  EXPECT_EQ(failure("[CLS]\n[SEP]\n"),
            "vocab.txt: the token [UNK] is missing (the unk_token, one token a line)");
  EXPECT_EQ(failure(""), "vocab.txt: the token [UNK] is missing (the unk_token, one token a line)");
  EXPECT_EQ(failure("[UNK]\n[SEP]\n"),
            "vocab.txt: the token [CLS] is missing (the cls_token, one token a line)");
  EXPECT_EQ(failure(kTokens, R"({"cls_token": null})"), "c.json: cls_token is null, BERT needs it");
  EXPECT_EQ(failure("[UNK]\n\xFFx\n"), "vocab.txt:2: byte 1 is not UTF-8");
  EXPECT_EQ(failure(kTokens, R"({"tokenizer_class": "BertJapaneseTokenizer"})"),
            "c.json: tokenizer_class is \"BertJapaneseTokenizer\", supported with a vocab.txt is "
            "only BertTokenizer; save the tokenizer with transformers to get a tokenizer.json");
}

TEST(VocabularyFile, IsWrittenAsItWasRead) {
  EXPECT_EQ(written(kTokens), kTokens);
  // The id of the first "a" belongs to nothing.
  EXPECT_EQ(written("[UNK]\n[CLS]\n[SEP]\na\nb\na\n"), "[UNK]\n[CLS]\n[SEP]\n\nb\na\n");
}

TEST(VocabularyFile, HasAnEmptyLineForWhatALineCannotHold) {
  EXPECT_EQ(write_vocabulary_file({{"a", 0}, {"b\nc", 1}, {"d ", 2}, {"e", 3}}), "a\n\n\ne\n");
}

TEST(VocabularyFile, ADirectoryWithoutOneIsRefused) {
  const TemporaryDirectory directory;
  const auto load = [&] { return failure_of([&] { Tokenizer::load(directory.path()); }); };
  const std::string path = directory.path().string();
  EXPECT_EQ(load().message, path + ": has neither a tokenizer.json nor a vocab.txt");
  EXPECT_EQ(load().code, ExitCode::kModel);
  directory.write("vocab.txt", kTokens);
  directory.write("added_tokens.json", "{}");
  EXPECT_EQ(load().message, path +
                                "/added_tokens.json: not supported beside a vocab.txt; save the "
                                "tokenizer with transformers to get a tokenizer.json");
}

}  // namespace
}  // namespace tandem
