#include "text/tokenizer_config.h"

#include <gtest/gtest.h>

#include "support/error_message.h"
#include "text/tokenizer_cases.h"

namespace tandem {
namespace {

using testing::failure_of;

TokenizerConfig parse(std::string_view text) { return parse_tokenizer_config(text, "c.json"); }

std::string failure_of_text(std::string_view text) {
  const auto failure = failure_of([&] { parse(text); });
  EXPECT_EQ(failure.code, ExitCode::kModel);
  return failure.message;
}

TEST(TokenizerConfig, HasBertsDefaults) {
  const TokenizerConfig config = parse("{}");
  EXPECT_EQ(config.special_token("cls_token"), "[CLS]");
  EXPECT_EQ(config.model_max_length, kUnlimitedTokens);
  EXPECT_FALSE(config.do_lower_case);
}

TEST(TokenizerConfig, ReadsTokensAsTextsAndAsObjects) {
  const TokenizerConfig config = parse(
      R"({"cls_token": "<s>", "sep_token": {"__type": "AddedToken", "content": "</s>"},
          "mask_token": null, "model_max_length": 512})");
  EXPECT_EQ(config.special_token("cls_token"), "<s>");
  EXPECT_EQ(config.special_token("sep_token"), "</s>");
  EXPECT_EQ(config.special_token("mask_token"), std::nullopt);
  EXPECT_EQ(config.special_token("pad_token"), "[PAD]");
  EXPECT_EQ(config.model_max_length, 512);
}

TEST(TokenizerConfig, TakesAVeryLargeLengthForNone) {
  EXPECT_EQ(parse(R"({"model_max_length": 1000000000000000019884624838656})").model_max_length,
            kUnlimitedTokens);
  EXPECT_EQ(parse(R"({"model_max_length": 1e30})").model_max_length, kUnlimitedTokens);
}

TEST(TokenizerConfig, NamesWhatIsWrong) {
  EXPECT_EQ(failure_of_text(R"({"do_lower_case": 1})"),
            "c.json: do_lower_case: expected true or false, found 1");
  EXPECT_EQ(failure_of_text(R"({"cls_token": 5})"),
            "c.json: cls_token: expected a string, found 5");
  EXPECT_TRUE(failure_of_text(R"({"model_max_length": 0})")
                  .starts_with("c.json: model_max_length: expected a whole number from 1 to "));
  EXPECT_TRUE(failure_of_text(R"({"model_max_length": 1.5})")
                  .starts_with("c.json: model_max_length: expected a whole number from 1 to "));
  EXPECT_EQ(failure_of_text(R"({"added_tokens_decoder": {"x": {"content": "a"}}})"),
            "c.json: added_tokens_decoder.x: expected an id from 0 to 16777215 as its key");
  EXPECT_EQ(failure_of_text(R"({"added_tokens_decoder": {"99999999999": {"content": "a"}}})"),
            "c.json: added_tokens_decoder.99999999999: expected an id from 0 to 16777215 as its "
            "key");
  EXPECT_EQ(failure_of_text("7"), "c.json: expected an object, found 7");
}

TEST(TokenizerConfig, MustAgreeWithTokenizerJson) {
  const testing::TemporaryDirectory directory;
  directory.write("tokenizer.json", testing::small_tokenizer_json().dump());
  const auto failure = [&](std::string_view config) {
    directory.write("tokenizer_config.json", config);
    return failure_of([&] { Tokenizer::load(directory.path()); }).message;
  };
  const std::string path = directory.path().string();
  EXPECT_EQ(failure(R"({"do_lower_case": false})"),
            path + "/tokenizer_config.json: do_lower_case is false, but in " + path +
                "/tokenizer.json the normalizer has lowercase true; give both the value the model "
                "was trained with");
  EXPECT_NE(failure(R"({"strip_accents": false})").find("strip_accents is false"),
            std::string::npos);
  EXPECT_NE(failure(R"({"tokenize_chinese_chars": false})").find("handle_chinese_chars true"),
            std::string::npos);
  // null and what equals the effective value agree.
  EXPECT_EQ(failure(R"({"do_lower_case": true, "strip_accents": null})"), "");
  EXPECT_EQ(failure(R"({"strip_accents": true})"), "");
}

}  // namespace
}  // namespace tandem
