#pragma once
// The last step: what stands around and between the texts, and how many tokens of each are kept.

#include <cstdint>
#include <string>
#include <vector>

namespace tandem {

struct SpecialToken {
  std::int32_t id;
  std::string token;
  bool operator==(const SpecialToken&) const = default;
};

// One text or the tokens that stand before, between or behind.
struct TemplatePiece {
  enum class Kind { kFirstText, kSecondText, kSpecial };
  Kind kind;
  std::vector<SpecialToken> tokens;  // of kSpecial
  std::int32_t segment;
  bool operator==(const TemplatePiece&) const = default;
};
using SequenceTemplate = std::vector<TemplatePiece>;

// [CLS] a [SEP] or [CLS] a [SEP] b [SEP], with segment 1 from b on: the form that every BERT has.
struct BertTemplates {
  SequenceTemplate single, pair;
};
BertTemplates bert_templates(const SpecialToken& cls, const SpecialToken& sep);

// How many special tokens it adds.
std::int64_t special_token_count(const SequenceTemplate& sequence_template);

struct PairLengths {
  std::int64_t first, second;
};
// How many tokens of two texts are kept so that there are at most `room`: what `tokenizers` does
// for the strategy longest_first.
PairLengths truncated_lengths(PairLengths lengths, std::int64_t room);

}  // namespace tandem
