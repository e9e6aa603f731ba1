#include "text/tokenizer_json.h"

#include <functional>

#include <gtest/gtest.h>

#include "support/error_message.h"
#include "text/tokenizer_cases.h"

namespace tandem {
namespace {

using nlohmann::json;
using testing::failure_of;
using testing::small_tokenizer_json;

TokenizerSpec parse(const json& file) { return parse_tokenizer_json(file.dump(), "t.json"); }

std::string failure_of_text(std::string_view text) {
  const auto failure = failure_of([&] { parse_tokenizer_json(text, "t.json"); });
  EXPECT_EQ(failure.code, ExitCode::kModel);
  return failure.message;
}

// The message for the small tokenizer.json with one thing changed.
std::string failure_after(const std::function<void(json&)>& change) {
  json file = small_tokenizer_json();
  change(file);
  return failure_of_text(file.dump());
}

TEST(TokenizerJson, IsReadInFull) {
  const TokenizerSpec spec = parse(small_tokenizer_json());
  EXPECT_TRUE(spec.normalizer.strip_accents);  // null follows lowercase
  EXPECT_EQ(spec.word_piece.unknown_token, "[UNK]");
  EXPECT_EQ(spec.word_piece.max_input_chars_per_word, 100);
  EXPECT_EQ(spec.vocabulary.front().token, "[PAD]");
  EXPECT_EQ(spec.added_tokens.size(), 5U);
  EXPECT_EQ(spec.single, bert_templates({2, "[CLS]"}, {3, "[SEP]"}).single);
  EXPECT_EQ(spec.pair, bert_templates({2, "[CLS]"}, {3, "[SEP]"}).pair);
}

TEST(TokenizerJson, OfAnotherKindIsRefusedByName) {
  EXPECT_EQ(failure_after([](json& file) { file["model"]["type"] = "BPE"; }),
            "t.json: model.type: found \"BPE\", supported is only WordPiece");
  EXPECT_EQ(failure_after([](json& file) {
              file["normalizer"] = {{"type", "Sequence"}};
            }),
            "t.json: normalizer.type: found \"Sequence\", supported is only BertNormalizer");
  EXPECT_EQ(failure_after([](json& file) { file["pre_tokenizer"]["type"] = "Whitespace"; }),
            "t.json: pre_tokenizer.type: found \"Whitespace\", supported is only BertPreTokenizer");
  EXPECT_EQ(failure_after([](json& file) { file["post_processor"]["type"] = "RobertaProcessing"; }),
            "t.json: post_processor.type: found \"RobertaProcessing\", supported is only "
            "TemplateProcessing or BertProcessing");
  EXPECT_EQ(failure_after([](json& file) { file["normalizer"] = nullptr; }),
            "t.json: normalizer is missing, expected one of type BertNormalizer");
  EXPECT_EQ(failure_after([](json& file) { file["version"] = "2.0"; }),
            "t.json: version: expected \"1.0\", found \"2.0\"");
}

TEST(TokenizerJson, WithoutATypeOfModelIsOneOf2019) {
  json file = small_tokenizer_json();
  file["model"].erase("type");
  EXPECT_EQ(parse(file).vocabulary.size(), file["model"]["vocab"].size());
}

TEST(TokenizerJson, EveryMissingKeyAndWrongTypeIsNamed) {
  const char* const kRequired[] = {"/model/unk_token",
                                   "/model/continuing_subword_prefix",
                                   "/model/max_input_chars_per_word",
                                   "/model/vocab",
                                   "/normalizer/lowercase",
                                   "/normalizer/clean_text",
                                   "/normalizer/handle_chinese_chars",
                                   "/normalizer/type",
                                   "/added_tokens/0/id",
                                   "/added_tokens/0/content",
                                   "/added_tokens/0/single_word",
                                   "/added_tokens/0/lstrip",
                                   "/added_tokens/0/rstrip",
                                   "/added_tokens/0/normalized",
                                   "/added_tokens/0/special",
                                   "/post_processor/single",
                                   "/post_processor/pair",
                                   "/post_processor/special_tokens",
                                   "/post_processor/single/0/SpecialToken/id",
                                   "/post_processor/single/0/SpecialToken/type_id",
                                   "/post_processor/pair/1/Sequence/id",
                                   "/post_processor/special_tokens/[CLS]/ids",
                                   "/post_processor/special_tokens/[CLS]/tokens",
                                   "/model",
                                   "/post_processor"};
  for (const std::string pointer : kRequired) {
    const json::json_pointer place(pointer);
    const std::string key = place.back();
    const std::string missing =
        failure_after([&](json& file) { file.at(place.parent_pointer()).erase(key); });
    EXPECT_TRUE(missing.starts_with("t.json: ")) << missing;
    EXPECT_NE(missing.find(key), missing.npos) << pointer << ": " << missing;
    const std::string wrong =
        failure_after([&](json& file) { file.at(place) = json::array({json::array()}); });
    EXPECT_TRUE(wrong.starts_with("t.json: ")) << wrong;
    EXPECT_NE(wrong.find("expected "), wrong.npos) << pointer << ": " << wrong;
  }
}

TEST(TokenizerJson, IdsMustBeInRangeAndDistinct) {
  EXPECT_EQ(failure_after([](json& file) { file["model"]["vocab"]["hello"] = -1; }),
            "t.json: model.vocab.hello: expected a whole number from 0 to 16777215, found -1");
  EXPECT_EQ(failure_after([](json& file) { file["model"]["vocab"]["hello"] = 1.5; }),
            "t.json: model.vocab.hello: expected a whole number from 0 to 16777215, found 1.5");
  EXPECT_EQ(
      failure_after([](json& file) { file["model"]["vocab"]["hello"] = 18446744073709551615U; }),
      "t.json: model.vocab.hello: expected a whole number from 0 to 16777215, found "
      "18446744073709551615");
  EXPECT_EQ(failure_after([](json& file) { file["model"]["vocab"]["hello"] = 5; }),
            "t.json: model.vocab: \"a\" and \"hello\" both have id 5");
  EXPECT_EQ(failure_after([](json& file) { file["model"]["max_input_chars_per_word"] = 0; }),
            "t.json: model.max_input_chars_per_word: expected a whole number from 1 to 10000, "
            "found 0");
  EXPECT_EQ(failure_after([](json& file) { file["model"]["vocab"] = json::object(); }),
            "t.json: model.unk_token: \"[UNK]\" is not in the vocabulary");
  EXPECT_EQ(failure_after([](json& file) { file["model"]["unk_token"] = "<unk>"; }),
            "t.json: model.unk_token: \"<unk>\" is not in the vocabulary");
}

// The reference ignores an added token's id and gives it one of its own, so a file in which they
// differ has been edited and means nothing certain.
TEST(TokenizerJson, AddedTokensMustHaveTheIdsTheReferenceGivesThem) {
  const std::string next = std::to_string(small_tokenizer_json()["model"]["vocab"].size());
  const auto add = [](json& file, std::string content, int id, bool normalized) {
    json token = file["added_tokens"][0];
    token.update({{"content", content}, {"id", id}, {"normalized", normalized}});
    file["added_tokens"].push_back(token);
  };
  EXPECT_EQ(failure_after([&](json& file) { add(file, "new", 1000, false); }),
            "t.json: the added token \"new\" has id 1000, expected the next free one, " + next);
  EXPECT_EQ(failure_after([&](json& file) { add(file, "hello", 7, false); }),
            "t.json: the added token \"hello\" has id 7, expected " +
                small_tokenizer_json()["model"]["vocab"]["hello"].dump() + " as in the vocabulary");
  EXPECT_EQ(failure_after([&](json& file) { add(file, "[PAD]", 0, true); }),
            "t.json: the added token \"[PAD]\" is there twice");
  EXPECT_EQ(failure_after([&](json& file) { file["added_tokens"][0]["content"] = ""; }),
            "t.json: added_tokens.0.content: expected a token, found \"\"");
  const int free = std::stoi(next);
  EXPECT_EQ(failure_after([&](json& file) { add(file, "\u0301", free, true); }),
            "t.json: the added token \"\u0301\" has the normal form \"\", which cannot be found in "
            "a text");
  EXPECT_EQ(failure_after([&](json& file) {
              add(file, "new", free, true);
              add(file, "NEW", free + 1, true);
            }),
            "t.json: the added token \"NEW\" has the normal form \"new\", as another one has");
}

TEST(TokenizerJson, TemplatesMustNameTokensOfTheVocabulary) {
  const auto processor = [](json& file) -> json& { return file["post_processor"]; };
  EXPECT_EQ(failure_after(
                [&](json& file) { processor(file)["single"][0]["SpecialToken"]["id"] = "<s>"; }),
            "t.json: post_processor.single.0.SpecialToken.id: \"<s>\" is not among special_tokens");
  EXPECT_EQ(failure_after([&](json& file) {
              processor(file)["special_tokens"]["[CLS]"]["tokens"][0] = "<s>";
            }),
            "t.json: post_processor.special_tokens.[CLS].tokens.0: \"<s>\" is not in the "
            "vocabulary");
  EXPECT_EQ(
      failure_after([&](json& file) { processor(file)["special_tokens"]["[CLS]"]["ids"][0] = 77; }),
      "t.json: post_processor.special_tokens.[CLS].ids.0: \"[CLS]\" has id 2 in the "
      "vocabulary, here it has 77");
  EXPECT_EQ(failure_after([&](json& file) {
              processor(file)["special_tokens"]["[CLS]"]["ids"].push_back(2);
            }),
            "t.json: post_processor.special_tokens.[CLS]: it has 2 ids and 1 tokens");
  EXPECT_EQ(failure_after(
                [&](json& file) { processor(file)["single"][0]["SpecialToken"]["type_id"] = 2; }),
            "t.json: post_processor.single.0.SpecialToken.type_id: expected a whole number from 0 "
            "to 1, found 2");
}

TEST(TokenizerJson, TemplatesMustHaveEachTextOnce) {
  const auto processor = [](json& file) -> json& { return file["post_processor"]; };
  EXPECT_EQ(failure_after([&](json& file) { processor(file)["single"].erase(1); }),
            "t.json: post_processor.single: expected the Sequence A once");
  EXPECT_EQ(failure_after([&](json& file) { processor(file)["single"] = json::array(); }),
            "t.json: post_processor.single: expected the Sequence A once");
  EXPECT_EQ(failure_after([&](json& file) { processor(file)["pair"] = processor(file)["single"]; }),
            "t.json: post_processor.pair: expected the Sequences A and B once each");
  EXPECT_EQ(
      failure_after([&](json& file) { processor(file)["single"][1]["Sequence"]["id"] = "C"; }),
      "t.json: post_processor.single.1.Sequence.id: expected \"A\" or \"B\", found \"C\"");
  EXPECT_EQ(failure_after([&](json& file) {
              processor(file)["single"][1] = {{"Other", 1}};
            }),
            "t.json: post_processor.single.1: expected a Sequence or a SpecialToken");
}

TEST(TokenizerJson, OfBertProcessingNamesItsTokens) {
  const auto failure = [](json cls) {
    return failure_after([&](json& file) {
      file["post_processor"] = {{"type", "BertProcessing"}, {"sep", {"[SEP]", 3}}, {"cls", cls}};
    });
  };
  EXPECT_EQ(failure({"[CLS]", 4}),
            "t.json: post_processor.cls.1: \"[CLS]\" has id 2 in the vocabulary, here it has 4");
  EXPECT_EQ(failure({"[CLS]"}),
            "t.json: post_processor.cls: expected a token and its id, found an array");
}

TEST(TokenizerJson, ThatIsNotOneAtAllIsRefused) {
  EXPECT_TRUE(failure_of_text("").starts_with("t.json:1: not valid JSON"));
  EXPECT_EQ(failure_of_text("[]"), "t.json: expected an object, found an array");
  EXPECT_EQ(failure_of_text("{}"), "t.json: model is missing, expected one of type WordPiece");
  EXPECT_EQ(failure_of_text(R"({"model": 1, "model": 2})"),
            "t.json: the key \"model\" occurs twice in one object");
  EXPECT_EQ(failure_of_text(std::string(100000, '[')), "t.json: nested more than 64 deep");
}

}  // namespace
}  // namespace tandem
