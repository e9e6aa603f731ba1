#include "text/template.h"

#include <gtest/gtest.h>

#include "text/tokenizer_cases.h"

namespace tandem {
namespace {

TEST(Template, KeepsAsManyTokensOfEachTextAsTheReference) {
  for (const auto& row : testing::tokenizer_cases().at("truncation")) {
    const auto n = row.get<std::vector<std::int64_t>>();
    const PairLengths kept = truncated_lengths({n[0], n[1]}, n[2]);
    EXPECT_EQ(kept.first, n[3]) << row;
    EXPECT_EQ(kept.second, n[4]) << row;
  }
}

TEST(Template, OfBertHasTheSecondSegmentFromTheSecondTextOn) {
  using Kind = TemplatePiece::Kind;
  const SpecialToken cls{101, "[CLS]"}, sep{102, "[SEP]"};
  const BertTemplates templates = bert_templates(cls, sep);
  EXPECT_EQ(templates.pair, (SequenceTemplate{{Kind::kSpecial, {cls}, 0},
                                              {Kind::kFirstText, {}, 0},
                                              {Kind::kSpecial, {sep}, 0},
                                              {Kind::kSecondText, {}, 1},
                                              {Kind::kSpecial, {sep}, 1}}));
  EXPECT_EQ(special_token_count(templates.single), 2);
  EXPECT_EQ(special_token_count(templates.pair), 3);
}

}  // namespace
}  // namespace tandem
