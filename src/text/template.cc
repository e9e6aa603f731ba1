#include "text/template.h"

#include <algorithm>
#include <utility>

namespace tandem {

BertTemplates bert_templates(const SpecialToken& cls, const SpecialToken& sep) {
  using Kind = TemplatePiece::Kind;
  const SequenceTemplate single = {
      {Kind::kSpecial, {cls}, 0}, {Kind::kFirstText, {}, 0}, {Kind::kSpecial, {sep}, 0}};
  SequenceTemplate pair = single;
  pair.push_back({Kind::kSecondText, {}, 1});
  pair.push_back({Kind::kSpecial, {sep}, 1});
  return {single, pair};
}

std::int64_t special_token_count(const SequenceTemplate& sequence_template) {
  std::int64_t count = 0;
  for (const TemplatePiece& piece : sequence_template) {
    count += static_cast<std::int64_t>(piece.tokens.size());
  }
  return count;
}

PairLengths truncated_lengths(PairLengths lengths, std::int64_t room) {
  if (lengths.first + lengths.second <= room) return lengths;
  // The longer text gives up tokens first. When both must, each gets half of the room and the
  // longer one the odd token; of two that are equally long that is the second.
  const bool first_is_longer = lengths.first > lengths.second;
  std::int64_t shorter = std::min(lengths.first, lengths.second);
  std::int64_t longer = std::max(shorter, room - shorter);
  if (shorter + longer > room) {
    shorter = room / 2;
    longer = room - shorter;
  }
  if (first_is_longer) return {longer, shorter};
  return {shorter, longer};
}

}  // namespace tandem
