#include <gtest/gtest.h>

#include "text/saved_json.h"
#include "text/tokenizer_cases.h"

namespace tandem {
namespace {

using nlohmann::json;
using testing::small_tokenizer_json;
using testing::TemporaryDirectory;
using testing::tokenizer_cases;

std::string content(const Tokenizer& tokenizer, const std::string& name) {
  for (const Tokenizer::File& file : tokenizer.files(Segments::kTaken)) {
    if (file.name == name) return file.content;
  }
  return "no such file";
}

json config_of(const Tokenizer& tokenizer) {
  return json::parse(content(tokenizer, "tokenizer_config.json"));
}

Tokenizer reloaded(const Tokenizer& tokenizer, const std::string& without) {
  const TemporaryDirectory directory;
  for (const Tokenizer::File& file : tokenizer.files(Segments::kTaken)) {
    if (file.name != without) directory.write(file.name, file.content);
  }
  return Tokenizer::load(directory.path());
}

// Both from a tokenizer.json and, where BertTokenizer can be built from it, from the vocab.txt.
TEST(SavedTokenizer, GivesTheSameIdsWhenItIsLoadedAgain) {
  for (const json& variant : tokenizer_cases().at("variants")) {
    SCOPED_TRACE(variant.at("name").get<std::string>());
    const Tokenizer tokenizer =
        testing::load_tokenizer_json(small_tokenizer_json(variant.at("changes")));
    const Tokenizer again = reloaded(tokenizer, "vocab.txt");
    const bool is_bert = config_of(tokenizer).at("tokenizer_class") == "BertTokenizer";
    EXPECT_EQ(is_bert, variant.at("name") != "uncased, nothing cleaned");
    const Tokenizer from_vocabulary =
        is_bert ? reloaded(tokenizer, "tokenizer.json") : reloaded(tokenizer, "vocab.txt");
    // A tokenizer.json that is generated.
    const Tokenizer generated = reloaded(from_vocabulary, "vocab.txt");
    for (const json& row : variant.at("cases")) {
      const auto text = row[0].get<std::string>();
      const Encoding expected = tokenizer.encode(text, text, 64);
      for (const Tokenizer* other : {&again, &from_vocabulary, &generated}) {
        EXPECT_EQ(other->encode(text, text, 64).ids, expected.ids) << row[0];
      }
    }
  }
}

// transformers before version 5 hands a model whatever its tokenizer gives.
TEST(SavedTokenizer, GivesNoSegmentsToAModelThatTakesNone) {
  const TemporaryDirectory directory;
  directory.write("tokenizer.json", small_tokenizer_json().dump());
  const auto config_for = [](const Tokenizer& tokenizer) {
    for (const Tokenizer::File& file : tokenizer.files(Segments::kNotTaken)) {
      if (file.name == "tokenizer_config.json") return json::parse(file.content);
    }
    return json();
  };
  EXPECT_EQ(config_for(Tokenizer::load(directory.path())).at("tokenizer_class"),
            "DistilBertTokenizer");
  for (const json& variant : tokenizer_cases().at("variants")) {
    if (variant.at("name") != "uncased, nothing cleaned") continue;
    const json config =
        config_for(testing::load_tokenizer_json(small_tokenizer_json(variant.at("changes"))));
    EXPECT_EQ(config.at("tokenizer_class"), "PreTrainedTokenizerFast");
    EXPECT_EQ(config.at("model_input_names"), (json{"input_ids", "attention_mask"}));
  }
}

TEST(SavedTokenizer, KeepsTokenizerJsonByteForByte) {
  const TemporaryDirectory directory;
  const std::string text = small_tokenizer_json().dump(1) + "\n\n";
  directory.write("tokenizer.json", text);
  EXPECT_EQ(content(Tokenizer::load(directory.path()), "tokenizer.json"), text);
}

TEST(SavedTokenizer, KeepsTheConfigButNotWhereItWas) {
  const TemporaryDirectory directory;
  directory.write("tokenizer.json", small_tokenizer_json().dump());
  directory.write("tokenizer_config.json", R"({"name_or_path": "/home/someone", "is_local": true,
      "do_basic_tokenize": true, "model_max_length": 512, "tokenizer_class": "BertTokenizerFast"})");
  const Tokenizer tokenizer = Tokenizer::load(directory.path());
  const json config = config_of(tokenizer);
  EXPECT_FALSE(config.contains("name_or_path"));
  EXPECT_FALSE(config.contains("is_local"));
  EXPECT_EQ(config.at("do_basic_tokenize"), true);
  EXPECT_EQ(config.at("model_max_length"), 512);
  EXPECT_EQ(config.at("tokenizer_class"), "BertTokenizer");
  EXPECT_EQ(config.at("do_lower_case"), true);
  EXPECT_EQ(config.at("strip_accents"), nullptr);
  EXPECT_EQ(config.at("tokenize_chinese_chars"), true);
  EXPECT_EQ(config.at("cls_token"), "[CLS]");
  EXPECT_EQ(config.at("added_tokens_decoder").at("3").at("content"), "[SEP]");
  EXPECT_EQ(json::parse(content(tokenizer, "special_tokens_map.json")),
            (json{{"cls_token", "[CLS]"},
                  {"mask_token", "[MASK]"},
                  {"pad_token", "[PAD]"},
                  {"sep_token", "[SEP]"},
                  {"unk_token", "[UNK]"}}));
}

TEST(SavedTokenizer, SaysNullForASpecialTokenThatThereIsNot) {
  const TemporaryDirectory directory;
  directory.write("vocab.txt", "[UNK]\n[CLS]\n[SEP]\n");
  const Tokenizer tokenizer = Tokenizer::load(directory.path());
  EXPECT_EQ(config_of(tokenizer).at("mask_token"), nullptr);
  EXPECT_FALSE(json::parse(content(tokenizer, "special_tokens_map.json")).contains("mask_token"));
  EXPECT_FALSE(config_of(tokenizer).contains("model_max_length"));
}

// BertTokenizer always cleans, and always cuts words of more than 100 characters.
TEST(SavedTokenizer, NamesTheGeneralClassForWhatBertTokenizerCannotDo) {
  const auto class_after = [](const char* pointer, const json& value) {
    json file = small_tokenizer_json();
    file.at(json::json_pointer(pointer)) = value;
    const json config = config_of(testing::load_tokenizer_json(file));
    EXPECT_EQ(config.contains("model_input_names"),
              config.at("tokenizer_class") != "BertTokenizer");
    return config.at("tokenizer_class");
  };
  EXPECT_EQ(class_after("/normalizer/lowercase", false), "BertTokenizer");
  EXPECT_EQ(class_after("/normalizer/clean_text", false), "PreTrainedTokenizerFast");
  EXPECT_EQ(class_after("/model/max_input_chars_per_word", 50), "PreTrainedTokenizerFast");
  EXPECT_EQ(class_after("/model/continuing_subword_prefix", "@@"), "PreTrainedTokenizerFast");
  EXPECT_EQ(class_after("/post_processor/pair/4/SpecialToken/type_id", 0),
            "PreTrainedTokenizerFast");
}

}  // namespace
}  // namespace tandem
