#include "text/tokenizer.h"

#include <gtest/gtest.h>

#include "text/tokenizer_cases.h"

namespace tandem {
namespace {

using nlohmann::json;
using testing::load_tokenizer_json;
using testing::small_tokenizer_json;
using testing::tokenizer_cases;

constexpr std::int64_t kUnlimited = 1 << 20;

json as_json(const std::vector<TokenSpan>& spans) {
  json rows = json::array();
  for (const TokenSpan& span : spans) rows.push_back({span.id, span.token, span.begin, span.end});
  return rows;
}

std::vector<std::int32_t> ids_of(const json& rows) {
  std::vector<std::int32_t> ids;
  for (const json& row : rows) ids.push_back(row[0].get<std::int32_t>());
  return ids;
}

TEST(Tokenizer, GivesTheReferencesTokensAndOffsetsForDifficultTexts) {
  for (const json& variant : tokenizer_cases().at("variants")) {
    SCOPED_TRACE(variant.at("name").get<std::string>());
    const Tokenizer tokenizer = load_tokenizer_json(small_tokenizer_json(variant.at("changes")));
    for (const json& row : variant.at("cases")) {
      const auto text = row[0].get<std::string>();
      const Encoding encoding = tokenizer.encode(text, {}, kUnlimited);
      EXPECT_EQ(encoding.ids, ids_of(row[1])) << row[0];
      EXPECT_EQ(encoding.segments, std::vector<std::int32_t>(encoding.ids.size(), 0));
      EXPECT_FALSE(encoding.truncated);
      EXPECT_EQ(as_json(tokenizer.encode_with_spans(text, kUnlimited)), row[1]) << row[0];
    }
  }
}

TEST(Tokenizer, CutsPairsAsTheReferenceDoes) {
  const Tokenizer tokenizer = load_tokenizer_json(small_tokenizer_json());
  for (const json& row : tokenizer_cases().at("pairs")) {
    const auto first = row[0].get<std::string>(), second = row[1].get<std::string>();
    const Encoding encoding = tokenizer.encode(first, second, row[2].get<std::int64_t>());
    EXPECT_EQ(json(encoding.ids), row[3]) << row;
    EXPECT_EQ(json(encoding.segments), row[4]) << row;
    const std::size_t whole = tokenizer.encode(first, second, kUnlimited).ids.size();
    EXPECT_EQ(encoding.truncated, encoding.ids.size() < whole) << row;
  }
}

TEST(Tokenizer, CutsASingleTextFromItsEnd) {
  const Tokenizer tokenizer = load_tokenizer_json(small_tokenizer_json());
  const std::vector<std::int32_t> whole = tokenizer.encode("a b c d", {}, 6).ids;
  EXPECT_EQ(whole.size(), 6U);
  const Encoding cut = tokenizer.encode("a b c d", {}, 4);
  EXPECT_EQ(cut.ids, (std::vector{whole[0], whole[1], whole[2], whole[5]}));
  EXPECT_TRUE(cut.truncated);
  EXPECT_EQ(ids_of(as_json(tokenizer.encode_with_spans("a b c d", 4))), cut.ids);
  // Where nothing of the text fits, what stands around it is still there.
  EXPECT_EQ(tokenizer.encode("a b c d", {}, 1).ids, (std::vector{whole[0], whole[5]}));
}

TEST(Tokenizer, CountsAddedTokensInItsVocabulary) {
  const json base = small_tokenizer_json();
  const std::size_t tokens = base.at("model").at("vocab").size();
  EXPECT_EQ(load_tokenizer_json(base).vocabulary_size(), tokens);
  for (const json& variant : tokenizer_cases().at("variants")) {
    if (variant.at("name") != "uncased, added tokens") continue;
    EXPECT_EQ(load_tokenizer_json(small_tokenizer_json(variant.at("changes"))).vocabulary_size(),
              tokens + 4);  // four of the five are new
  }
}

TEST(Tokenizer, IgnoresTruncationAndPaddingOfTheFile) {
  json file = small_tokenizer_json();
  file["truncation"] = {
      {"direction", "Right"}, {"max_length", 3}, {"strategy", "LongestFirst"}, {"stride", 0}};
  file["padding"] = {{"strategy", {{"Fixed", 64}}}, {"direction", "Right"}, {"pad_id", 0}};
  EXPECT_EQ(load_tokenizer_json(file).encode("a b c d", {}, kUnlimited).ids.size(), 6U);
}

}  // namespace
}  // namespace tandem
